import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import { NAMED_TABS, type NamedRow, type NamedTab, totalOfSources } from '#dashboard/named-sources'
import { namedLabel } from '#dashboard/parts/named-label'
import { rowChanges } from '#dashboard/parts/row-changes'
import { Empty } from '#dashboard/parts/states.tsx'
import { wholeOf } from '#dashboard/parts/whole'
import { valueLabel } from '#dashboard/texts'
import type { Address } from '#dashboard/url'

type Data = Answer<'GET /sources'>
type NamedSourcesProps = { data: Data; answer: Known<Data>; tab: NamedTab; address: Address }

/** Sessions by channel, source or landing page, with what they came to do where a goal is chosen. */
export function NamedSources({ data, answer, tab, address }: NamedSourcesProps) {
  const { rows, total, other, goal, previous } = data
  if (total.sessions === 0) return <Empty title="No sessions in this range" />
  const most = rows[0]?.sessions ?? 0
  const money = moneyOf(rows)
  const main = mainCurrency(rows)
  const ofGoal = goal === null ? [] : ['Converted', 'Rate', ...(money === 'none' ? [] : ['Value'])]
  const before = previous && { ...previous, isCut: previous.other !== undefined }
  const changes = rowChanges(before, answer, {
    key: row => String(row.value),
    value: row => row.sessions,
  })
  const toRow = (row: NamedRow): RankedRow => ({
    ...namedLabel(row, tab, address),
    share: most === 0 ? 0 : row.sessions / most,
    cells: [
      { value: row.sessions, as: 'count' },
      ...changes.cellOf(row),
      { value: row.people, as: 'count' },
      { value: row.bounce_rate, as: 'rate' },
      { value: row.avg_duration, as: 'duration' },
      ...(goal === null ? [] : goalCells(row, money, main)),
    ],
  })
  return (
    <>
      <Ranked
        name={`Sessions by ${NAMED_TABS[tab].title.toLowerCase()}`}
        columns={[
          NAMED_TABS[tab].title,
          'Sessions',
          ...changes.column,
          'Visitors',
          'Without interaction',
          'Duration',
          ...ofGoal,
        ]}
        rows={rows.map(toRow)}
        total={other === undefined ? undefined : totalOfSources(data)}
        load={wholeOf(answer, whole => whole.rows.map(toRow), totalOfSources)}
      />
      {changes.note !== null && <p class="cut">{changes.note}</p>}
      <p class="cut">
        {formatted(total.sessions)} sessions of {formatted(total.people)} visitors
        {other !== undefined &&
          `; ${formatted(other.values)} more values with ${formatted(other.sessions)} sessions are not listed`}
        {total.by_currency !== undefined && `; value: ${total.by_currency.map(sumLabel).join(', ')}`}
        {money === 'several' && `; its column is ordered by ${valueLabel(main, 'values without a currency')}`}
        .
      </p>
    </>
  )
}

function sumLabel({ currency, sum_value }: { currency: string | null; sum_value: number | null }): string {
  return `${sum_value === null ? 'too much' : formatted(sum_value)} ${valueLabel(currency, 'without a currency')}`
}

/** Whether rows have sums of values, and of how many currencies. */
type Money = 'none' | 'one' | 'several'

function moneyOf(rows: readonly NamedRow[]): Money {
  if (rows.some(({ by_currency }) => by_currency !== undefined)) return 'several'
  const sums = rows.filter(({ sum_value }) => (sum_value ?? null) !== null)
  return sums.length === 0
    ? 'none'
    : sums.every(each => each.currency === sums[0]?.currency)
      ? 'one'
      : 'several'
}

function sumsOf({ sum_value = null, currency = null, by_currency }: NamedRow) {
  return by_currency ?? (sum_value === null ? [] : [{ currency, sum_value }])
}

/** The currency that most rows have a sum of; the first of equals. */
function mainCurrency(rows: readonly NamedRow[]): string | null {
  const counts = new Map<string | null, number>()
  for (const { currency } of rows.flatMap(sumsOf)) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

/**
 * Values of several currencies are never added (U84). Where a list has several, each sum is a text with its
 * currency, so that it has it in the CSV file, too.
 */
function goalCells(row: NamedRow, money: Money, main: string | null): RankedRow['cells'] {
  const { conversions, conversion_rate, sum_value = null, currency = null } = row
  const sums = sumsOf(row)
  return [
    { value: conversions ?? 0, as: 'count' },
    { value: conversion_rate ?? 0, as: 'rate' },
    ...(money === 'none'
      ? []
      : money === 'one'
        ? [{ value: sum_value, as: 'count', unit: currency } as const]
        : [
            {
              text: sums.map(sumLabel).join(', ') || '–',
              order: sums.find(each => each.currency === main)?.sum_value ?? null,
            },
          ]),
  ]
}
