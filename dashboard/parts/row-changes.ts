import type { Known } from '#dashboard/answers'
import type { ChangeCell } from '#dashboard/charts/ranked.tsx'
import { changeOf, datesLabel, formatted } from '#dashboard/format'
import { whyNoChange } from './why-no-change.ts'

/**
 * Rows of a list that is compared. The rows before are its first ones, too, so more of them are asked for
 * than are shown.
 */
export const COMPARED_ROWS = 200

type Before<Row> = { period: { from: string; to: string }; rows: readonly Row[]; isCut: boolean }

export type RowChanges<Row> = {
  /** The name of the column, or none. */
  column: readonly string[]
  cellOf(row: Row): readonly ChangeCell[]
  /** Why there is no column although a comparison is asked. */
  note: string | null
}

/**
 * The change of each row against the compared dates. `before`: their rows; undefined: nothing is compared.
 */
export function rowChanges<Row>(
  before: Before<Row> | undefined,
  { receipt }: Pick<Known, 'receipt'>,
  of: { key(row: Row): string; value(row: Row): number },
): RowChanges<Row> {
  const none = { column: [], cellOf: () => [] }
  if (before === undefined) return { ...none, note: null }
  const { period, rows, isCut } = before
  const note = whyNoChange(period.from, receipt?.data_from)
  if (note !== null) return { ...none, note }
  const values = new Map(rows.map(row => [of.key(row), of.value(row)]))
  const dates = datesLabel(period.from, period.to)
  const cellOf = (row: Row): ChangeCell => {
    const value = values.get(of.key(row))
    if (value) return { change: changeOf(of.value(row), value), title: `${formatted(value)} in ${dates}` }
    return isCut
      ? { change: null, title: `Not among the first ${rows.length} rows of ${dates}` }
      : { change: null, none: 'new', title: `None in ${dates}` }
  }
  return { column: ['Change'], cellOf: row => [cellOf(row)], note: null }
}
