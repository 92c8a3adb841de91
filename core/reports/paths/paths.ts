import type { z } from 'zod'
import type { LakeRead } from '#core/lake/read/lake-read'
import { hasIdsAsKeys, sessionsEnd } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { foldGroups } from '#core/reports/few-people/fold-groups'
import { compareCodePoints } from '#core/reports/run/code-points'
import { ratio } from '#core/reports/run/rounding'
import { defineReport, type Report, type ReportRequest, sinceDays, toPeriod } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { hasSessionKey } from '#core/reports/sql/session-ids'
import { cutTies } from '#core/reports/sql/tied-sessions'
import { isOneOf, sql } from '#core/sql/sql'
import type { PathNode, pathsBody, pathsResponse } from '#schemas/paths'
import { candidatesSql, type PathsPlan, selectCandidates, walksSql } from './sql.ts'

export type PathsParams = Omit<z.output<typeof pathsBody>, 'project'>
type Response = z.input<typeof pathsResponse>
type EntryPath = Response['entry_paths'][number]

/** Sessions that walked the same way. The last node is a terminal one, unless it is the goal. */
type Walk = {
  entryPage: string
  exitPage: string | null
  nodes: Node[]
  sessions: number
  /** Whose sessions they are; undefined where nobody asks. */
  user?: string | null | undefined
  isConversion: boolean
  /** Whether they sent the goal at any time, also beyond `max_steps`. */
  hasReached: boolean
}
type Node = Pick<PathNode, 'type' | 'value' | 'exit_page'>

/** Leaves out the groups of walks that nobody may see. */
type Keep = <T>(groups: readonly T[], walksOf: (group: T) => readonly Walk[]) => readonly T[]
type ShownNodes = { limit: number; keep: Keep }

/** POST /paths (docs/api/paths.md): the ways from the most frequent entry pages to a goal. */
export const paths = defineReport<PathsParams, Response>({
  range: sinceDays(30),
  compute: (rows, request) => computePaths(rows, request, { areFewHidden: false }),
  namesOfEmpty: ({ goal_event }, { entry_paths }) =>
    entry_paths.every(({ conversions }) => conversions === 0) ? { events: [goal_event] } : null,
})

/**
 * POST /paths for a share link: entry pages, exit pages and nodes of fewer than five people are left out. It
 * reads who walked each way, so it has a row for each of at most `candidate_session_cap` sessions.
 */
export const pathsForLinks: Report<PathsParams, Response> = {
  range: paths.range,
  compute: (rows, request) => computePaths(rows, request, { areFewHidden: true }),
}

async function computePaths(
  rows: ReadRows,
  request: ReportRequest<PathsParams>,
  { areFewHidden }: { areFewHidden: boolean },
): Promise<Response> {
  const { project, params, read } = request
  const { goal_event, max_steps, entry_limit, path_limit, candidate_session_cap } = params
  const plan = {
    goal: goal_event,
    maxSteps: max_steps,
    entryLimit: entry_limit,
    sessionCap: candidate_session_cap,
    hasUsers: areFewHidden,
  }
  const keep: Keep = areFewHidden
    ? (groups, walksOf) => foldGroups(groups, group => countUsers(walksOf(group))).shown
    : groups => groups
  const newest = await rows(candidatesSql(read, plan))
  const candidates = await cutCandidates(rows, read, plan, newest)
  const walkRows = await readWalks(rows, read, plan, candidates)
  const walks = walkRows.map(row =>
    toWalk({
      entryPage: String(row.entry_page),
      exitPage: row.exit_page === null || row.exit_page === undefined ? null : String(row.exit_page),
      texts: row.nodes === null || row.nodes === undefined ? [] : JSON.parse(String(row.nodes)),
      sessions: Number(row.sessions),
      hasReached: Number(row.reached) === 1,
      user: row.user_id as Walk['user'],
      maxSteps: max_steps,
    }),
  )
  const allEntries = [...Map.groupBy(walks, ({ entryPage }) => entryPage)]
  const byEntry = keep(allEntries, ([, ofEntry]) => ofEntry)
  const tree = { limit: path_limit, keep }
  const entryPaths = byEntry.map(([entryPage, ofEntry]) => toEntryPath(entryPage, ofEntry, tree))
  const isCut =
    newest.length > candidate_session_cap ||
    byEntry.length < allEntries.length ||
    Number(newest[0]?.entry_pages ?? 0) > entry_limit ||
    entryPaths.some(({ hasWiderLevel }) => hasWiderLevel)
  return {
    project: project.name,
    goal_event,
    period: toPeriod(request),
    // Of the entry pages that are listed: a link must not tell what the others have.
    reached: entryPaths.reduce((sum, { entryPath }) => sum + entryPath.reached, 0),
    bounds: { max_steps, entry_limit, path_limit, candidate_session_cap },
    entry_paths: entryPaths
      .map(({ entryPath }) => entryPath)
      .toSorted((a, b) => compareCounts(a, b) || compareCodePoints(a.entry_page, b.entry_page)),
    ...(isCut && { truncated: true as const }),
  }
}

/** The candidates: of sessions with an equal start those with the highest ids (docs/api/paths.md, step 2). */
async function cutCandidates(
  rows: ReadRows,
  read: LakeRead,
  plan: PathsPlan,
  newest: readonly Row[],
): Promise<Row[]> {
  const limit = plan.sessionCap
  // The ids are known: candidatesSql orders by them.
  if (hasIdsAsKeys(read)) return newest.slice(0, limit)
  const selectSessions = (isTied: SqlQuery) => selectCandidates(read, plan, isTied)
  return cutTies(rows, { read, newest, limit, direction: 'DESC', selectSessions })
}

/**
 * The walks of the candidates. Their events begin with the oldest start, so for a busy project the range is
 * short.
 */
async function readWalks(
  rows: ReadRows,
  read: LakeRead,
  plan: PathsPlan,
  candidates: readonly Row[],
): Promise<Row[]> {
  const oldest = candidates.at(-1)
  // A dry run knows no candidates, and estimates the events of the whole range.
  if (oldest === undefined) return rows(walksSql(read, plan, sql`false`))
  const keys = candidates.map(({ session_key }) => session_key)
  // Sessions that come from the events have their ids as keys.
  const isCandidate = keys.every(key => typeof key === 'string')
    ? isOneOf(sql`session_id`, keys)
    : hasSessionKey(sql`session_id`, keys.map(Number))
  return rows(
    walksSql({ ...read, from: Number(oldest.start_time), to: sessionsEnd(read) }, plan, isCandidate),
  )
}

const TYPES = { p: 'page', e: 'event', g: 'goal' } as const

/**
 * Adds the terminal node: `truncated` for a path with more nodes than maxSteps, `drop_off` for one without
 * the goal.
 */
function toWalk({
  entryPage,
  exitPage,
  texts,
  maxSteps,
  ...counted
}: Pick<Walk, 'entryPage' | 'exitPage' | 'sessions' | 'user' | 'hasReached'> & {
  texts: string[]
  maxSteps: number
}): Walk {
  const nodes = texts
    .slice(0, maxSteps)
    .map((text): Node => ({ type: TYPES[text[0] as keyof typeof TYPES], value: text.slice(1) }))
  const isConversion = nodes.at(-1)?.type === 'goal'
  const type = texts.length > maxSteps ? 'truncated' : 'drop_off'
  const terminal: Node[] = isConversion ? [] : [{ type, value: exitPage ?? 'unknown', exit_page: exitPage }]
  return { ...counted, entryPage, exitPage, nodes: [...nodes, ...terminal], isConversion }
}

function toEntryPath(
  entryPage: string,
  walks: readonly Walk[],
  shown: ShownNodes,
): { entryPath: EntryPath; hasWiderLevel: boolean } {
  const { nodes, hasWiderLevel } = toTree(walks, 0, shown)
  const entryPath = {
    entry_page: entryPage,
    ...countWalks(walks),
    exit_pages: toExitPages(walks, shown),
    tree: nodes,
  }
  return { entryPath, hasWiderLevel }
}

function toExitPages(walks: readonly Walk[], { keep }: ShownNodes): EntryPath['exit_pages'] {
  const byPage = [...Map.groupBy(walks, ({ exitPage }) => exitPage ?? 'unknown')]
  return keep(byPage, ([, ofPage]) => ofPage)
    .map(([exit_page, ofPage]) => {
      const counts = countWalks(ofPage)
      // Truncated sessions too (docs/api/paths.md, point 7).
      const dropOffs = counts.sessions - counts.conversions
      return { exit_page, ...counts, drop_offs: dropOffs, drop_off_rate: ratio(dropOffs, counts.sessions, 3) }
    })
    .toSorted(
      (a, b) =>
        b.sessions - a.sessions ||
        b.drop_offs - a.drop_offs ||
        b.conversions - a.conversions ||
        compareCodePoints(a.exit_page, b.exit_page),
    )
}

/**
 * The nodes at a depth of the walks, merged by type, value and exit page; at most `limit` at each level.
 * `hasWiderLevel`: whether some nodes are left out.
 */
function toTree(
  walks: readonly Walk[],
  depth: number,
  shown: ShownNodes,
): { nodes: PathNode[]; hasWiderLevel: boolean } {
  const all = nodesAt(walks, depth)
  const nodesToShow = shown.keep(all, ({ ofNode }) => ofNode).slice(0, shown.limit)
  let hasWiderLevel = all.length > nodesToShow.length
  const nodes = nodesToShow.map(({ ofNode, ...node }) => {
    const children = toTree(ofNode, depth + 1, shown)
    hasWiderLevel ||= children.hasWiderLevel
    return { ...node, children: children.nodes }
  })
  return { nodes, hasWiderLevel }
}

function nodesAt(walks: readonly Walk[], depth: number) {
  const deeper = walks.filter(({ nodes }) => nodes.length > depth)
  const groups = Map.groupBy(deeper, ({ nodes }) => {
    const { type, value, exit_page } = nodes[depth] as Node
    return JSON.stringify([type, value, exit_page])
  })
  return [...groups.values()]
    .map(ofNode => ({ ...(ofNode[0]?.nodes[depth] as Node), ...countWalks(ofNode), ofNode }))
    .toSorted(
      (a, b) => compareCounts(a, b) || compareCodePoints(`${a.type}:${a.value}`, `${b.type}:${b.value}`),
    )
}

/** How many people walked so. Nobody stands behind a session without a user. */
function countUsers(walks: readonly Walk[]): number {
  return new Set(walks.flatMap(({ user }) => user ?? [])).size
}

function countWalks(walks: readonly Walk[]) {
  const sessions = sumSessions(walks)
  const conversions = sumSessions(walks.filter(({ isConversion }) => isConversion))
  const reached = sumSessions(walks.filter(({ hasReached }) => hasReached))
  return { sessions, conversions, conversion_rate: ratio(conversions, sessions, 3), reached }
}

function sumSessions(walks: readonly Walk[]): number {
  return walks.reduce((sum, { sessions }) => sum + sessions, 0)
}

function compareCounts(
  a: { sessions: number; conversions: number },
  b: { sessions: number; conversions: number },
): number {
  return b.sessions - a.sessions || b.conversions - a.conversions
}
