/** Rows of text as a table of Markdown, its columns padded; a column of numbers (`right`) is aligned to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[],
): string {
  const widths = head.map((name, i) => Math.max(3, name.length, ...rows.map(row => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (right.includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (right.includes(i) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** USD with cents below 100, else whole: 0.04, 12.50, 1,234. */
export function dollars(usd: number): string {
  const digits = Math.abs(usd) < 99.995 ? 2 : 0
  return usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** A count as the options take it: 1M, 87.7M, 4,380. */
export function amount(units: number): string {
  for (const [scale, suffix] of [
    [1e9, 'B'],
    [1e6, 'M'],
  ] as const) {
    if (units >= scale) return `${round(units / scale)}${suffix}`
  }
  return round(units)
}

function round(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
