import { byCodePoint, type OracleRequest, ratioOf } from './common.ts'
import type { SentEvent } from './sent-event.ts'
import { NON_INTERACTIVE, type OracleSession, oracleSessionList } from './sessions.ts'

export type OraclePaths = {
  goal_event: string
  max_steps: number
  entry_limit: number
  path_limit: number
  candidate_session_cap: number
}

type Node = { type: string; value: string; exit_page?: string | null }
type Walk = { nodes: Node[]; exitPage: string; hasReached: boolean }
type TreeNode = Node & {
  sessions: number
  conversions: number
  conversion_rate: number
  reached: number
  children: TreeNode[]
}

function nodeOf({ event, properties }: SentEvent, entryPage: string, goal: string): Node | null {
  if (event === goal) return { type: 'goal', value: event }
  if (event === 'page_view') {
    const path = properties?.path
    const isPage = typeof path === 'string' && path !== '' && path !== entryPage
    return isPage ? { type: 'page', value: path } : null
  }
  return NON_INTERACTIVE.has(event) ? null : { type: 'event', value: event }
}

/** docs/api/paths.md, steps 3 and 4, and U82. */
function walk(session: OracleSession, asked: OraclePaths): Walk {
  const hasReached = session.events.some(({ event }) => event === asked.goal_event)
  return { ...followed(session, asked), hasReached }
}

function followed(session: OracleSession, { goal_event, max_steps }: OraclePaths): Omit<Walk, 'hasReached'> {
  const exitPage = session.exitPage ?? 'unknown'
  const terminal = (type: string) => ({ type, value: exitPage, exit_page: session.exitPage })
  const nodes: Node[] = []
  for (const event of session.events) {
    const node = nodeOf(event, session.entryPage ?? '', goal_event)
    const last = nodes.at(-1)
    if (node === null || (last?.type === node.type && last.value === node.value)) continue
    if (nodes.length === max_steps) return { nodes: [...nodes, terminal('truncated')], exitPage }
    nodes.push(node)
    if (node.type === 'goal') return { nodes, exitPage }
  }
  return { nodes: [...nodes, terminal('drop_off')], exitPage }
}

function counts(walks: readonly Walk[]) {
  const conversions = walks.filter(({ nodes }) => nodes.at(-1)?.type === 'goal').length
  return {
    sessions: walks.length,
    conversions,
    conversion_rate: ratioOf(conversions, walks.length, 3),
    reached: walks.filter(({ hasReached }) => hasReached).length,
  }
}

/** `cut` is called when a level has more nodes than the limit. */
function tree(walks: readonly Walk[], depth: number, limit: number, cut: () => void): TreeNode[] {
  const groups = Map.groupBy(
    walks.filter(({ nodes }) => nodes.length > depth),
    ({ nodes }) => JSON.stringify(nodes[depth]),
  )
  if (groups.size > limit) cut()
  return [...groups]
    .map(([key, of]) => ({ node: JSON.parse(key) as Node, of, ...counts(of) }))
    .toSorted(
      (a, b) =>
        b.sessions - a.sessions ||
        b.conversions - a.conversions ||
        byCodePoint(`${a.node.type}:${a.node.value}`, `${b.node.type}:${b.node.value}`),
    )
    .slice(0, limit)
    .map(({ node, of, ...numbers }) => ({ ...node, ...numbers, children: tree(of, depth + 1, limit, cut) }))
}

export function oraclePaths(events: readonly SentEvent[], request: OracleRequest, asked: OraclePaths) {
  const { entry_limit, candidate_session_cap, path_limit } = asked
  const sessions = oracleSessionList(events, request).filter(({ entryPage }) => entryPage !== null)
  const entryPages = [...Map.groupBy(sessions, ({ entryPage }) => entryPage as string)].toSorted(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || byCodePoint(a, b),
  )
  const shownPages = entryPages.slice(0, entry_limit).map(([page]) => page)
  const ofPages = sessions
    .filter(({ entryPage }) => shownPages.includes(entryPage as string))
    .toSorted((a, b) => b.start - a.start || byCodePoint(b.id, a.id))
  let isCut = entryPages.length > entry_limit || ofPages.length > candidate_session_cap
  const candidates = ofPages.slice(0, candidate_session_cap)
  const entryPaths = [...Map.groupBy(candidates, ({ entryPage }) => entryPage as string)]
    .map(([entry_page, of]) => {
      const walks = of.map(session => walk(session, asked))
      return {
        entry_page,
        ...counts(walks),
        exit_pages: [...Map.groupBy(walks, ({ exitPage }) => exitPage)]
          .map(([exit_page, ofExit]) => {
            const ofPage = counts(ofExit)
            const dropOffs = ofPage.sessions - ofPage.conversions
            return {
              exit_page,
              ...ofPage,
              drop_offs: dropOffs,
              drop_off_rate: ratioOf(dropOffs, ofExit.length, 3),
            }
          })
          .toSorted(
            (a, b) =>
              b.sessions - a.sessions ||
              b.drop_offs - a.drop_offs ||
              b.conversions - a.conversions ||
              byCodePoint(a.exit_page, b.exit_page),
          ),
        tree: tree(walks, 0, path_limit, () => {
          isCut = true
        }),
      }
    })
    .toSorted(
      (a, b) =>
        b.sessions - a.sessions || b.conversions - a.conversions || byCodePoint(a.entry_page, b.entry_page),
    )
  const reached = entryPaths.reduce((sum, each) => sum + each.reached, 0)
  return { project: request.project, reached, entry_paths: entryPaths, ...(isCut && { truncated: true }) }
}
