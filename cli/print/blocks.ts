/**
 * What a command prints, as data: the terminal, CSV and tests read the same blocks. Texts may come from
 * strangers; the printers clean them.
 */

/** How a value is shown on the terminal. CSV has the value as it is. */
export type Format =
  | 'text'
  | 'count'
  | 'number'
  | 'rate'
  | 'percent'
  | 'duration'
  | 'time'
  | 'json'
  | 'own'
  | 'address'
  /** What other commands take as an argument: never cut. */
  | 'id'

export type Cell = string | number | boolean | null | undefined | object

export type Column = {
  /** The field of a row, and the name of the column in CSV and `--fields`. */
  key: string
  title: string
  /** Default: text. */
  as?: Format
}

export type Row = Readonly<Record<string, unknown>>

export type TableBlock = {
  kind: 'table'
  /** What `--table` calls it. */
  name: string
  title?: string
  columns: readonly Column[]
  rows: readonly Row[]
  /** What stands in the place of no rows. Default: `(none)`. */
  none?: string
  /** For CSV alone, where the terminal shows the same as a picture. */
  csvOnly?: true
  /** Only the terminal shows it. CSV has the same rows in another table. */
  terminalOnly?: true
}

export type BarsBlock = {
  kind: 'bars'
  name: string
  title?: string
  label: Column
  value: Column
  rows: readonly Row[]
}

export type GridBlock = {
  kind: 'grid'
  name: string
  title?: string
  /** The title above the names of the rows. */
  corner: string
  columns: readonly string[]
  rows: readonly { label: string; cells: readonly (number | null)[] }[]
  /** `shade`: each cell is a shade of its value. `rate`: each cell is a whole percentage. */
  cells: 'shade' | 'rate'
}

export type TreeNode = { label: string; detail: string; children: readonly TreeNode[] }

export type Block =
  | { kind: 'heading' | 'line' | 'advice'; text: string }
  | { kind: 'facts'; facts: readonly (readonly [label: string, value: Cell, as?: Format])[] }
  | { kind: 'spark'; label: string; values: readonly number[] }
  | { kind: 'tree'; title?: string; nodes: readonly TreeNode[] }
  /** Text to copy as it is, such as a script tag: never wrapped, and cut by nothing. */
  | { kind: 'source'; title: string; text: string }
  /** The difference of files, in which a line begins with +, - or a blank. */
  | { kind: 'diff'; text: string }
  | TableBlock
  | BarsBlock
  | GridBlock

export const heading = (text: string): Block => ({ kind: 'heading', text })
export const line = (text: string): Block => ({ kind: 'line', text })
/** A sentence that says what to do next; never the result itself. It goes to stderr. */
export const advice = (text: string): Block => ({ kind: 'advice', text })
