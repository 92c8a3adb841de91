import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** Accepts findings of cdk-nag below a construct, each with its reason. Other findings there still stop a synthesis. */
export function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id, reason }))
  Validations.of(construct).acknowledge(...rules)
}
