import type { Cell } from './csv.ts'

/** Search and order of the rows of a list. */

/** A column by its place, 0 for the label, and the direction. */
export type Order = { column: number; direction: 'ascending' | 'descending' }

/** What each column orders a row by, and what a reader may look for. */
type Sorted = { keys: readonly Cell[]; words: string }

/** The rows that have a text somewhere in their names, whatever its case. */
export function matching<Row extends Pick<Sorted, 'words'>>(
  rows: readonly Row[],
  text: string,
): readonly Row[] {
  const sought = text.trim().toLocaleLowerCase()
  return sought === '' ? rows : rows.filter(({ words }) => words.toLocaleLowerCase().includes(sought))
}

/**
 * The rows by a column. Equal rows keep their order, and rows without a value come last in both directions.
 */
export function ordered<Row extends Pick<Sorted, 'keys'>>(
  rows: readonly Row[],
  order: Order | null,
): readonly Row[] {
  if (order === null) return rows
  const { column, direction } = order
  const sign = direction === 'ascending' ? 1 : -1
  return rows.toSorted((a, b) => {
    const [left, right] = [a.keys[column] ?? null, b.keys[column] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * compared(left, right)
  })
}

function compared(left: string | number, right: string | number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), undefined, { numeric: true })
}

/** The order after a click on the head of a column: numbers begin with the largest, names with the first. */
export function nextOrder(order: Order | null, column: number): Order {
  if (order?.column !== column) return { column, direction: column === 0 ? 'ascending' : 'descending' }
  return { column, direction: order.direction === 'ascending' ? 'descending' : 'ascending' }
}
