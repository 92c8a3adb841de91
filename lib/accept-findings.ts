import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/**
 * Accepts findings of cdk-nag for a construct and its children. `reasons` gives the reason for each rule.
 * Other findings still stop the synthesis.
 */
export function acceptFindings(construct: IConstruct, reasons: Record<string, string>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id, reason }))
  Validations.of(construct).acknowledge(...rules)
}
