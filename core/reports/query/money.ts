import type { SqlQuery } from '#core/ports'
import { numberOf } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { integer, join, sql, trustedSql } from '#core/sql/sql'
import { isCurrencies, MAX_CURRENCY_CHARS, MONEY_KEY } from './currencies-metric.ts'
import { columnsOf, metricAlias } from './metric-columns.ts'
import type { Group, Plan } from './plan.ts'

/** The totals of groups, with null for what several currencies would make. */
export function withoutMixedSums(plan: Plan, totals: SqlQuery): SqlQuery {
  const at = plan.metrics.findIndex(isCurrencies)
  if (at === -1) return totals
  const isOne = sql`${metricAlias(at, 0)} = ${metricAlias(at, 1)}`
  const money = new Set(
    plan.metrics.flatMap(({ isMoney }, i) => (isMoney === true ? [metricAlias(i, 0).text] : [])),
  )
  const columns = columnsOf(plan).map(({ alias }) =>
    money.has(alias.text) ? sql`CASE WHEN ${isOne} THEN ${alias} END AS ${alias}` : alias,
  )
  return sql`SELECT ${join([...plan.groups.map(({ alias }) => alias), ...columns], ', ')} FROM (${totals}) AS group_sum`
}

/** Columns of the row for the groups that are not shown: their first and last currency. */
export function restCurrencies(plan: Plan): SqlQuery[] {
  const at = plan.metrics.findIndex(isCurrencies)
  if (at === -1) return []
  const ofRest = (column: SqlQuery) => sql`CASE WHEN shown_rank IS NULL THEN ${column} END`
  return [
    sql`min(${ofRest(metricAlias(at, 0))}) AS rest_first_currency`,
    sql`max(${ofRest(metricAlias(at, 1))}) AS rest_last_currency`,
  ]
}

type Row = Readonly<Record<string, unknown>>

/** The first and last currency of a row of a statement, null without values. */
function currenciesOf(row: Row, plan: Plan): [first: string | null, last: string | null] {
  const at = plan.metrics.findIndex(isCurrencies)
  const isRest = row.shown_rank === null
  const [first, last] = isRest
    ? [row.rest_first_currency, row.rest_last_currency]
    : [row[`metric_${at}_0`], row[`metric_${at}_1`]]
  return [(first ?? null) as string | null, (last ?? null) as string | null]
}

export function isMixed(row: Row, plan: Plan): boolean {
  const [first, last] = currenciesOf(row, plan)
  return first !== last
}

/** Whether the values of a query have several currencies: in a row, or from one row to another. */
export function haveSeveralCurrencies(rows: readonly Row[], plan: Plan): boolean {
  if (!plan.metrics.some(isCurrencies)) return false
  const isByCurrency = plan.groups.some(({ field }) => field === 'properties.currency')
  if (isByCurrency) return rows.some(row => isMixed(row, plan))
  const all = rows.flatMap(row => currenciesOf(row, plan)).filter(currency => currency !== null)
  return new Set(all).size > 1
}

/** The same plan by currency, of the events that have a number as `value` and no too long currency. */
export function planByCurrency({ groups, metrics, filters, sets }: Plan): Plan {
  const [value, currency] = [propertyValue(MONEY_KEY), propertyValue('currency')]
  const group: Group = {
    field: 'currency',
    alias: trustedSql(`group_${groups.length}`),
    value: sql`nullif(upper(${currency.scalar}), '')`,
    fields: [...currency.fields],
  }
  const hasNumber = { condition: sql`${numberOf(value.scalar)} IS NOT NULL`, fields: [...value.fields] }
  const isShown = {
    condition: sql`coalesce(length(upper(${currency.scalar})), 0) <= ${integer(MAX_CURRENCY_CHARS)}`,
    fields: [...currency.fields],
  }
  return {
    groups: [...groups, group],
    metrics: metrics.filter(({ isMoney }) => isMoney === true),
    filters: [...filters, hasNumber, isShown],
    sets,
  }
}
