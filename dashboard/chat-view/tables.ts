import type { FunnelStep } from '#dashboard/charts/funnel.tsx'
import type { GridProps } from '#dashboard/charts/grid.tsx'
import type { SeriesProps } from '#dashboard/charts/series.tsx'
import type { TreeNode } from '#dashboard/charts/tree.tsx'
import { bucketLabel, dateLabel, formatted } from '#dashboard/format'
import type { McpCell, McpTable } from '#schemas/mcp-tables'

/** What the charts need, from the tables of an answer. A cell of another type counts as absent. */

type Table = Pick<McpTable, 'columns' | 'rows'>

/** `unique_users` as `Unique users`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export type SeriesData = Pick<SeriesProps, 'labels'> & {
  lines: { name: string; values: (number | null)[] }[]
}

/** A line for each column of numbers after the first, which has the intervals. */
export function seriesOf({ columns, rows }: Table): SeriesData {
  const byTime = rows.toSorted(([a], [b]) => (textOf(a) < textOf(b) ? -1 : 1))
  return {
    labels: byTime.map(([at]) => ({
      short: bucketLabel(textOf(at)),
      long: bucketLabel(textOf(at), 'long'),
    })),
    lines: columns.slice(1).map((name, i) => ({ name, values: byTime.map(row => numberOf(row[i + 1])) })),
  }
}

/** Columns `event` and `users`. */
export function stepsOf({ columns, rows }: Table): FunnelStep[] {
  const [event, users] = [columns.indexOf('event'), columns.indexOf('users')]
  const counts = rows.map(row => numberOf(row[users]) ?? 0)
  return rows.map((row, i) => {
    const [count = 0, next, before = 0] = [counts[i], counts[i + 1], counts[i - 1]]
    return {
      name: textOf(row[event]),
      users: count,
      fromFirst: part(count, counts[0]),
      fromBefore: part(count, i === 0 ? count : before),
      lost: next === undefined ? null : Math.max(0, count - next),
    }
  })
}

/** Columns: the first date, the people, and the share that was active so many periods later. */
export function cohortsOf({ columns, rows }: Table): Pick<GridProps, 'columns' | 'rows'> {
  const later = rows.flatMap(row => row.slice(3).map(cell => numberOf(cell) ?? 0))
  const most = Math.max(0.01, ...later)
  return {
    columns: columns.slice(2),
    rows: rows.map(([date, users, ...rates]) => ({
      key: textOf(date),
      label: dateLabel(textOf(date)),
      note: formatted(numberOf(users)),
      cells: rates.map((cell, offset) => {
        const rate = numberOf(cell)
        if (rate === null) return null
        // The first column is always everybody, so the others have the scale for themselves.
        return { text: formatted(rate, 'rate'), share: offset === 0 ? 0 : (rate / most) * 0.9 }
      }),
    })),
  }
}

/** What stands for a page where a way ends without the goal, and where it was cut (tools/journeys.ts). */
const ENDS: Record<string, TreeNode['kind']> = { '(left)': 'lost', '(goes on)': 'cut' }

type Node = Omit<TreeNode, 'children'> & { children: Node[] }

/**
 * The ways as a tree. A row of the first table has an entry page, one of the others the names on the way to a
 * node, and stands after the row of the node before.
 */
export function treeOf(tables: readonly Table[]): TreeNode[] {
  const rows = tables.flatMap(({ columns, rows }) => rows.map(row => ({ columns, row })))
  const most = Math.max(1, ...rows.map(({ columns, row }) => numberOf(row[columns.indexOf('sessions')]) ?? 0))
  const roots: Node[] = []
  const known = new Map<string, Node>()
  for (const { columns, row } of rows) {
    const way = wayOf(row[0])
    const [label = '', value] = [way.at(-1), numberOf(row[columns.indexOf('sessions')]) ?? 0]
    const rate = numberOf(row[columns.indexOf('conversion_rate')])
    const kind = (way.length > 1 ? ENDS[label] : undefined) ?? 'step'
    const key = JSON.stringify(way)
    const siblings = way.length === 1 ? roots : known.get(JSON.stringify(way.slice(0, -1)))?.children
    if (siblings === undefined || known.has(key)) continue
    const note = rate === null || kind !== 'step' ? {} : { note: `${formatted(rate, 'rate')} reach the goal` }
    const node: Node = { key, label, kind, value, share: value / most, ...note, children: [] }
    siblings.push(node)
    known.set(key, node)
  }
  return roots
}

function wayOf(cell: McpCell | undefined): readonly string[] {
  return Array.isArray(cell) ? cell.map(textOf) : [textOf(cell as McpCell)]
}

/** A cell for a table that a reader opens. */
export function shownCell(cell: McpCell | undefined): string | number | null {
  if (cell === null || cell === undefined || typeof cell === 'number') return cell ?? null
  return Array.isArray(cell) ? cell.map(textOf).join(' → ') : String(cell)
}

function textOf(cell: McpCell | undefined): string {
  return cell === null || cell === undefined ? '–' : String(cell)
}

function numberOf(cell: McpCell | undefined): number | null {
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : null
}

function part(value: number, of = 0): number {
  return of === 0 ? 0 : value / of
}
