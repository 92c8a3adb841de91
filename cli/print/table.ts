import { cleanText } from '#core/text/clean-text'
import type { Column, TableBlock } from './blocks.ts'
import { formatted, isNumeric } from './format.ts'
import type { Style } from './style.ts'
import { fitted, widthOf, wrapped } from './width.ts'

const GAP = '  '
/** Longest title of a column, code points. */
const MAX_TITLE_CHARS = 100
/** A column of text is not made narrower than this, columns of the terminal. */
const MIN_TEXT_WIDTH = 12

/**
 * The lines of a table, none wider than `width`: columns of text become narrower, and when that is not enough
 * the last columns are left out, which the last line says. Numbers are never cut.
 */
export function tableLines(block: TableBlock, width: number, style: Style): string[] {
  if (block.rows.length === 0) return wrapped(formatted(block.none ?? '(none)'), width).map(style.dim)
  const all = block.columns.map(column => {
    const cells = evenDecimals(
      block.rows.map(row => formatted(row[column.key] as never, column.as)),
      column,
    )
    const title = cleanText(column.title, MAX_TITLE_CHARS)
    return { column: { ...column, title }, cells, width: Math.max(widthOf(title), ...cells.map(widthOf)) }
  })
  const shown = columnsThatFit(all, width)
  const widths = sharedWidths(shown, width)
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, i) => fitted(cell, widths[i] as number, isNumeric(shown[i]?.column.as) ? 'right' : 'left'))
      .join(GAP)
      .trimEnd()
  const left = all.slice(shown.length).map(({ column }) => column.key)
  return [
    style.dim(lineOf(shown.map(({ column }) => column.title))),
    ...block.rows.map((_, row) => lineOf(shown.map(({ cells }) => cells[row] as string))),
    ...(left.length > 0
      ? [style.dim(fitted(`(too narrow for ${formatted(left.join(', '))})`, width).trimEnd())]
      : []),
  ]
}

const DECIMAL = /^(-?[\d,]+)(?:\.(\d+))?( %)?$/

/** Decimals stand below each other: with 13.6 % in the column, 18 % is 18.0 %. */
function evenDecimals(cells: readonly string[], { as }: Column): readonly string[] {
  if (as !== 'rate' && as !== 'percent' && as !== 'number') return cells
  const most = Math.max(0, ...cells.map(cell => DECIMAL.exec(cell)?.[2]?.length ?? 0))
  if (most === 0) return cells
  return cells.map(cell =>
    cell.replace(DECIMAL, (_, whole, part = '', unit = '') => `${whole}.${part.padEnd(most, '0')}${unit}`),
  )
}

type Sized = { column: Column; cells: readonly string[]; width: number }

/** A column that is never cut: a part of a number, a time or an id would say something wrong. */
const isWhole = ({ column }: Sized) => isNumeric(column.as) || column.as === 'time' || column.as === 'id'
const narrowest = (each: Sized) => (isWhole(each) ? each.width : Math.min(each.width, MIN_TEXT_WIDTH))
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

function columnsThatFit(columns: readonly Sized[], width: number): readonly Sized[] {
  for (let count = columns.length; count > 1; count--) {
    const kept = columns.slice(0, count)
    if (sum(kept.map(narrowest)) + GAP.length * (count - 1) <= width) return kept
  }
  return columns.slice(0, 1)
}

/** Takes the missing width from the widest columns of text, so that short columns stay whole. */
function sharedWidths(columns: readonly Sized[], width: number): number[] {
  const space = width - GAP.length * (columns.length - 1)
  let cap = Math.max(...columns.map(each => each.width))
  const widthsAt = () =>
    columns.map(each => Math.max(narrowest(each), isWhole(each) ? each.width : Math.min(each.width, cap)))
  while (sum(widthsAt()) > space && cap > MIN_TEXT_WIDTH) cap--
  return columns.length === 1 ? [Math.min(space, widthsAt()[0] as number)] : widthsAt()
}
