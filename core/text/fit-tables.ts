import { estimateTokens } from './estimate-tokens.ts'

/** A table as lines: the names of its columns once, then a line for each row. */
export type TableLines = { head: string; rows: readonly string[] }

/**
 * How many rows of each table fit in `tokens`, heads included. Each table gets a row in turn, so the longest
 * is cut first, and no table is left out because another one is long. Rows are cut from the end.
 */
export function fitTables(tables: readonly TableLines[], tokens: number): number[] {
  const costs = tables.map(({ rows }) => rows.map(row => estimateTokens(row) + 1))
  const shown = tables.map(() => 0)
  let left = tokens - tables.reduce((sum, { head }) => sum + estimateTokens(head) + 1, 0)
  let open = tables.map((_, i) => i)
  while (open.length > 0) {
    open = open.filter(i => {
      const cost = costs[i]?.[shown[i] as number]
      if (cost === undefined || cost > left) return false
      left -= cost
      shown[i] = (shown[i] as number) + 1
      return true
    })
  }
  return shown
}
