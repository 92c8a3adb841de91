/** Formats rows as a Markdown table with padded columns. `rightAligned` lists the columns of numbers. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[],
): string {
  const widths = headings.map((name, i) =>
    Math.max(3, name.length, ...rows.map(row => (row[i] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (rightAligned.includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (rightAligned.includes(i) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`
  return [line(headings), rule, ...rows.map(line)].join('\n')
}

/** Formats USD, with cents below 100: 0.04, 12.50, 1,234. */
export function dollars(usd: number): string {
  const digits = Math.abs(usd) < 99.995 ? 2 : 0
  return usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Formats a count: 1M, 87.7M, 4,380. */
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
