import type { GridBlock } from './blocks.ts'
import { formatted } from './format.ts'
import type { Style } from './style.ts'
import { cutTo, fitted, widthOf } from './width.ts'

const SHADES = ['·', '░', '▒', '▓', '█'] as const

/** A grid of shades or of percentages. Columns that do not fit are left out, which the last line says. */
export function gridLines(
  { corner: named, columns: titled, rows, cells }: GridBlock,
  width: number,
  style: Style,
): string[] {
  const [corner, columns] = [formatted(named), titled.map(title => formatted(title))]
  if (rows.length === 0) return [style.dim('(none)')]
  const most = Math.max(0, ...rows.flatMap(row => row.cells.map(cell => cell ?? 0)))
  const shown = rows.map(row =>
    row.cells.map(cell => (cells === 'shade' ? shadeOf(cell, most) : percentOf(cell))),
  )
  const cellWidth = cells === 'shade' ? 2 : 5
  const labels = rows.map(({ label }) => formatted(label))
  const labelWidth = Math.min(
    Math.max(widthOf(corner), ...labels.map(widthOf)),
    Math.max(4, width - 4 * cellWidth),
  )
  // A narrow terminal still shows every hour, with one character each.
  const isDense = cells === 'shade' && labelWidth + columns.length * cellWidth > width
  const step = isDense ? 1 : cellWidth
  const count = Math.min(
    columns.length,
    Math.max(1, Math.floor((width - labelWidth - (isDense ? 1 : 0)) / step)),
  )
  const gap = isDense ? ' ' : ''
  // Titles of narrow cells would stand without a gap between them.
  const titleOf = (title: string, i: number) => {
    if (isDense) return i % 6 === 0 ? title : i % 6 === 1 ? '' : ' '
    return fitted(cells === 'rate' || i % 3 === 0 ? title : '', step, 'right')
  }
  const titles = columns.slice(0, count).map((title, i) => titleOf(title, i))
  const lines = [
    style.dim(fitted(corner, labelWidth) + gap + titles.join('')).trimEnd(),
    ...rows.map(
      (_, i) =>
        fitted(labels[i] as string, labelWidth) +
        gap +
        style.accent(
          (shown[i] as string[])
            .slice(0, count)
            .map(cell => fitted(cell, step, 'right'))
            .join('')
            .trimEnd(),
        ),
    ),
  ]
  const legend = `${SHADES[0]} none  ${SHADES[1]} few  ${SHADES[4]} most (${formatted(most, 'count')})`
  if (cells === 'shade') lines.push(style.dim(cutTo(legend, width)))
  const left = columns.length - count
  return left > 0 ? [...lines, style.dim(cutTo(`(too narrow for ${left} more columns)`, width))] : lines
}

function shadeOf(value: number | null, most: number): string {
  if (value === null || value <= 0 || most === 0) return SHADES[0]
  return SHADES[Math.max(1, Math.ceil((value / most) * 4))] as string
}

function percentOf(value: number | null): string {
  return value === null ? '' : `${Math.round(value * 100)}%`
}
