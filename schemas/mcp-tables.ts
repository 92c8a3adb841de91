/** What POST /mcp gives to the view that draws answers in a chat (dashboard/chat-view/). */

/** How a table can be drawn. */
export type McpChart = 'series' | 'funnel' | 'retention' | 'paths'

/** The names on the way to a node are a list, because a name may hold what separates names in a text. */
export type McpCell = string | number | boolean | null | readonly string[]

export type McpTable = {
  name: string
  columns: readonly string[]
  rows: readonly (readonly McpCell[])[]
  /** The length of the whole list, where the rows are a part of it. */
  total_rows: number
  chart?: McpChart
}

/** The key in the `_meta` of a result that has the tables of charts whole, where the answer has cut them. */
export const WHOLE_TABLES = 'footfall/tables'

/** The address of the view, and the media type that tells hosts to draw it. */
export const CHAT_VIEW = { uri: 'ui://footfall/report.html', mimeType: 'text/html;profile=mcp-app' } as const
