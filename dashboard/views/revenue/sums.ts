import type { Answer } from '#dashboard/api'
import type { NamedRow } from '#dashboard/named-sources'
import { withoutRest } from '#dashboard/parts/whole'

/** Sums of the property `value` by currency, as POST /query and GET /sources tell them. */

export const SUM = 'sum(value)'
export const CURRENCY = 'properties.currency'

type Rows = Answer<'POST /query'>['rows']
type Row = Rows[number]

/** What a currency, or one group in it, has brought. `count`: the events with a value. */
export type Sum = { sum: number; count: number }

/** The name of a currency in capitals, as the service compares them; null: the events name none. */
export type Currency = string | null

/** Digits behind the point to which the service adds exactly. */
const EXACT_DIGITS = 6

function currencyOf(row: Row): Currency {
  const text = row[CURRENCY]
  return text === null || text === undefined || text === '' ? null : String(text).toUpperCase()
}

function add(known: Sum | undefined, { sum, count }: Sum): Sum {
  const total = (known?.sum ?? 0) + sum
  return { sum: Number(total.toFixed(EXACT_DIGITS)), count: (known?.count ?? 0) + count }
}

/**
 * The sums of each currency, that of the most events first. `eur` and `EUR` are one. Rows without any value
 * are left out.
 */
export function sumsByCurrency(rows: Rows): Map<Currency, Sum> {
  const sums = new Map<Currency, Sum>()
  for (const { currency, ...each } of valuesOf(rows)) sums.set(currency, add(sums.get(currency), each))
  const ordered = [...sums].toSorted(
    ([a, ofA], [b, ofB]) => ofB.count - ofA.count || String(a).localeCompare(String(b)),
  )
  return new Map(ordered)
}

/** The sums of one currency by what `groupOf` makes of a row, the largest first. */
export function sumsByGroup(
  rows: Rows,
  currency: Currency,
  groupOf: (row: Row) => string | null,
): Map<string | null, Sum> {
  const sums = new Map<string | null, Sum>()
  for (const { row, ...each } of valuesOf(rows)) {
    if (each.currency !== currency) continue
    const group = groupOf(row)
    sums.set(group, add(sums.get(group), each))
  }
  return new Map([...sums].toSorted(([, a], [, b]) => b.sum - a.sum))
}

function valuesOf(rows: Rows) {
  return withoutRest(rows).flatMap(row => {
    const sum = row[SUM]
    if (sum === null || sum === undefined) return []
    return [{ row, currency: currencyOf(row), sum: Number(sum), count: Number(row.event_count) }]
  })
}

/** What a row of GET /sources has brought in a currency; null: too much to be added. */
export function sumOfSource(row: NamedRow, currency: Currency): number | null {
  const { sum_value = null, by_currency } = row
  if (by_currency !== undefined) {
    const found = by_currency.find(each => each.currency === currency)
    return found === undefined ? 0 : found.sum_value
  }
  return sum_value !== null && (row.currency ?? null) === currency ? sum_value : 0
}
