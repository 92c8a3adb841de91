import type { BarsBlock } from './blocks.ts'
import { formatted } from './format.ts'
import type { Style } from './style.ts'
import { fitted, widthOf } from './width.ts'

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const
const STEPS = '▁▂▃▄▅▆▇█'
/** A bar does not become longer on a wider terminal, because the eye then loses its line. */
const MAX_BAR = 60

/** One bar a row, with its value. The longest bar fills what labels and values leave of `width`. */
export function barLines({ label, value, rows }: BarsBlock, width: number, style: Style): string[] {
  if (rows.length === 0) return [style.dim('(none)')]
  const labels = rows.map(row => formatted(row[label.key] as never, label.as))
  const values = rows.map(row => formatted(row[value.key] as never, value.as))
  const valueWidth = Math.max(...values.map(widthOf))
  const labelWidth = Math.min(
    Math.max(...labels.map(widthOf)),
    Math.max(4, Math.floor((width - valueWidth - 4) / 2)),
  )
  const space = Math.min(MAX_BAR, Math.max(0, width - labelWidth - valueWidth - 4))
  const most = Math.max(...rows.map(row => Number(row[value.key]) || 0))
  return rows.map((row, i) => {
    const bar = barOf(Number(row[value.key]) || 0, most, space)
    return `${fitted(labels[i] as string, labelWidth)}  ${fitted(values[i] as string, valueWidth, 'right')}  ${style.accent(bar)}`.trimEnd()
  })
}

/** A value above 0 has always a bar. */
function barOf(value: number, most: number, space: number): string {
  if (value <= 0 || most <= 0) return ''
  const eighths = Math.min(8 * space, Math.max(1, Math.round((value / most) * space * 8)))
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

/** The course of numbers in one line of at most `width` characters; of more numbers the newest. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-Math.max(1, width))
  const most = Math.max(0, ...shown)
  return shown.map(value => STEPS[most === 0 ? 0 : Math.round((Math.max(0, value) / most) * 7)]).join('')
}
