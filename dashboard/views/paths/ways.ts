import type { Answer } from '#dashboard/api'
import type { TreeNode } from '#dashboard/charts/tree.tsx'
import { formatted } from '#dashboard/format'
import { eventLabel, pathLabel } from '#dashboard/texts'

type EntryPath = Answer<'POST /paths'>['entry_paths'][number]
type PathNode = EntryPath['tree'][number]

/** Exit pages that are listed. */
const MAX_ENDS = 20

const KINDS: Record<PathNode['type'], TreeNode['kind']> = {
  page: 'step',
  event: 'step',
  goal: 'goal',
  drop_off: 'lost',
  truncated: 'cut',
}

/** A tree whose first level are the entry pages. Bars are parts of the largest of them. */
export function treeOf(entries: readonly EntryPath[]): TreeNode[] {
  const most = entries.reduce((max, { sessions }) => Math.max(max, sessions), 0)
  return entries.map(({ entry_page, sessions, reached, tree }) => ({
    key: entry_page,
    label: pathLabel(entry_page),
    kind: 'step',
    value: sessions,
    share: most === 0 ? 0 : sessions / most,
    note: `${formatted(sessions === 0 ? 0 : reached / sessions, 'rate')} reach it`,
    children: tree.map(node => nodeOf(node, most)),
  }))
}

function nodeOf(node: PathNode, most: number): TreeNode {
  const { type, value, exit_page, sessions, reached, children } = node
  const isStep = type === 'page' || type === 'event'
  return {
    key: `${type} ${value} ${exit_page ?? ''}`,
    label: labelOf(node),
    kind: KINDS[type],
    value: sessions,
    share: most === 0 ? 0 : sessions / most,
    ...(isStep && { note: `${formatted(sessions === 0 ? 0 : reached / sessions, 'rate')} reach it` }),
    ...(type === 'truncated' && reached > 0 && { note: `${formatted(reached)} reach it later` }),
    children: children.map(child => nodeOf(child, most)),
  }
}

function labelOf({ type, value }: PathNode): string {
  if (type === 'drop_off') return `Ended on ${pathLabel(value)}`
  if (type === 'truncated') return `Goes on, and ends on ${pathLabel(value)}`
  if (type === 'page') return pathLabel(value)
  return type === 'goal' ? `✓ ${eventLabel(value)}` : eventLabel(value)
}

/** Every node of the trees as a row, parents first. */
export function rowsOf(entries: readonly EntryPath[]): (string | number)[][] {
  return entries.flatMap(({ entry_page, tree }) => nodeRows(entry_page, tree, 1))
}

function nodeRows(entry: string, nodes: readonly PathNode[], depth: number): (string | number)[][] {
  return nodes.flatMap(({ type, value, sessions, conversions, reached, children }) => [
    [entry, depth, type, value, sessions, conversions, reached],
    ...nodeRows(entry, children, depth + 1),
  ])
}

export type End = { page: string; sessions: number /** Without the goal. */; lost: number }

/** Pages on which sessions end, of all entry pages together, by how many did not reach the goal. */
export function endsOf(entries: readonly EntryPath[]): End[] {
  const ends = new Map<string, End>()
  for (const { exit_page, sessions, reached } of entries.flatMap(entry => entry.exit_pages)) {
    const known = ends.get(exit_page) ?? { page: exit_page, sessions: 0, lost: 0 }
    ends.set(exit_page, {
      page: exit_page,
      sessions: known.sessions + sessions,
      lost: known.lost + sessions - reached,
    })
  }
  return [...ends.values()].toSorted((a, b) => b.lost - a.lost).slice(0, MAX_ENDS)
}
