import type { SqlQuery } from '#core/ports'
import { trustedSql } from '#core/sql/sql'
import { prefixedKey } from '#schemas/property-names'
import { isDerivedGroup } from '#schemas/query'
import type { Plan } from './plan.ts'

/**
 * The columns of all metrics: their aggregates, and the parts of sums if a row may need those of several
 * groups.
 */
export function columnsOf(plan: Plan) {
  const needsParts = hasRowForOthers(plan)
  return plan.metrics.flatMap(({ rowsOf, aggregates, parts = [] }, i) => [
    ...aggregates.map((value, j) => ({ rowsOf, value, alias: metricAlias(i, j) })),
    ...(needsParts ? parts : []).map((value, j) => ({ rowsOf, value, alias: partAlias(i, j) })),
  ])
}

export function metricAlias(metric: number, column: number): SqlQuery {
  return trustedSql(`metric_${metric}_${column}`)
}

export function partAlias(metric: number, part: number): SqlQuery {
  return trustedSql(`part_${metric}_${part}`)
}

/** Whether a response that is cut has a row for the groups that it does not show (docs/api/reads.md). */
export function hasRowForOthers({ groups }: Plan): boolean {
  return groups.some(({ field }) => prefixedKey(field) !== undefined || isDerivedGroup(field))
}
