import type { McpCell, McpChart } from '#schemas/mcp-tables'
import type { Receipt } from '#schemas/read-options'

export type Cell = McpCell

export type AnswerTable = {
  /** In our words. */
  name: string
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
  /** The length of the whole list, where the rows are a part of it. */
  total?: number | undefined
  /** How the view in a chat draws it. */
  chart?: McpChart | undefined
}

/**
 * What a tool has found. Only tables and warnings may hold text of visitors: names of events, values, ids.
 * The other fields are in our words, with numbers.
 */
export type Answer = {
  /** A sentence with the number that was asked for. */
  summary: string
  /** Who was counted, or what was looked at. */
  counted: string
  /** Numbers that are never cut. */
  totals?: Readonly<Record<string, number | string | null>>
  /** Text of ours that is to be used as it stands, such as a snippet. */
  plain?: string
  tables?: readonly AnswerTable[]
  warnings?: readonly string[]
  /** Of each read; `cut`: a limit has left out a part of its response. */
  receipts?: readonly ((Receipt & { cut?: boolean }) | undefined)[]
  /** What to ask next, as calls of tools. */
  next: string
}
