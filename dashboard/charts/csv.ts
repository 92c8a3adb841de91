export type Cell = string | number | null | undefined
type Rows = readonly (readonly Cell[])[]
/** What is behind a chart: names of the columns, and rows. */
export type TableData = {
  columns: readonly string[]
  /** What the numbers of a column are in, such as `ms`; the head of the CSV file says it. */
  units?: readonly (string | undefined)[]
  rows: Rows
}

/**
 * All rows of a list that shows its first ones. `total`: how many there are, where that is more; infinity:
 * nobody knows.
 */
export type Whole = { rows: Rows; total?: number | undefined }
/** Requests for all rows, and says how many have come. */
export type LoadWhole = (progress: (rows: number) => void) => Promise<Whole>

/** Without it a spreadsheet reads UTF-8 as letters of Western Europe. */
const BYTE_ORDER_MARK = '\ufeff'

/**
 * The table as CSV (RFC 4180) in UTF-8. A text that a spreadsheet would run as a formula begins with an
 * apostrophe.
 */
export function toCsv({ columns, units = [], rows }: TableData): string {
  const heads = columns.map((column, i) => (units[i] === undefined ? column : `${column} (${units[i]})`))
  const lines = [heads, ...rows].map(row => row.map(cellText).join(','))
  return `${BYTE_ORDER_MARK}${lines.join('\r\n')}\r\n`
}

function cellText(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  // A Japanese spreadsheet also takes the wide forms of these signs.
  const safe = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
