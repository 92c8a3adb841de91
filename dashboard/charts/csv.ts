export type Cell = string | number | null | undefined
/** What is behind a chart: names of the columns, and rows. */
export type TableData = { columns: readonly string[]; rows: readonly (readonly Cell[])[] }

/**
 * The table as CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe.
 */
export function toCsv({ columns, rows }: TableData): string {
  return [columns, ...rows]
    .map(row => row.map(cellText).join(','))
    .join('\r\n')
    .concat('\r\n')
}

function cellText(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
