import { events, type LakeRead, oldestEvent, SESSION_PAUSE_MS } from '#core/lake/relations'
import { PAGE } from '#core/lake/session-fragments'
import type { SqlQuery } from '#core/ports'
import { integer, join, sql, timestamp } from '#core/sql'
import { midnight } from '#core/time'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'

export type PathsPlan = { goal: string; maxSteps: number; entryLimit: number; sessionCap: number }

/**
 * Rows (entry_page, exit_page, nodes, sessions, candidate_sessions, entry_pages): how many candidate sessions walked the same nodes (contract
 * 2.3, steps 1 to 4). `nodes` is a JSON array of at most maxSteps + 1 texts: the first letter is the type (`p` page, `e` event, `g`
 * goal), the rest is the value. candidate_sessions counts all sessions with these entry pages, entry_pages all entry pages.
 *
 * One scan reads the events of the sessions. Each level adds what the next one needs.
 */
export function pathsSql(read: LakeRead, { goal, maxSteps, entryLimit, sessionCap }: PathsPlan): SqlQuery {
  const searchFrom = Math.max(midnight(read.from) - SESSION_PAUSE_MS, oldestEvent(read.project))
  const fields = ['session_id', 'timestamp', 'lag_s', 'seq', 'event', 'path', 'url'] as const
  const ordered = sql`SELECT session_id, event, path, ${PAGE} AS page,
        row_number() OVER (PARTITION BY session_id ORDER BY timestamp, lag_s, seq) AS place,
        min(timestamp) OVER (PARTITION BY session_id) AS start_at
      FROM ${events({ ...read, from: searchFrom }, fields)} AS each_event WHERE session_id IS NOT NULL`
  const pagePlaces = sql`SELECT *, min(CASE WHEN page IS NOT NULL THEN place END) OVER (PARTITION BY session_id) AS entry_place,
        max(CASE WHEN page IS NOT NULL THEN place END) OVER (PARTITION BY session_id) AS exit_place
      FROM (${ordered}) AS ordered_event WHERE start_at >= ${timestamp(read.from)}`
  const pages = sql`SELECT *, max(CASE WHEN place = entry_place THEN page END) OVER (PARTITION BY session_id) AS entry_page,
        max(CASE WHEN place = exit_place THEN page END) OVER (PARTITION BY session_id) AS exit_page
      FROM (${pagePlaces}) AS placed_event`
  const entries = sql`SELECT *, sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY entry_page) AS entry_sessions
      FROM (${pages}) AS paged_event WHERE entry_page IS NOT NULL`
  const rankedEntries = sql`SELECT *, dense_rank() OVER (ORDER BY entry_sessions DESC, entry_page) AS entry_rank
      FROM (${entries}) AS entry_event`
  const countedEntries = sql`SELECT *, max(entry_rank) OVER () AS entry_pages FROM (${rankedEntries}) AS ranked_entry`
  const rankedSessions = sql`SELECT *, dense_rank() OVER (ORDER BY start_at DESC, session_id DESC) AS session_rank
      FROM (${countedEntries}) AS counted_entry WHERE entry_rank <= ${integer(entryLimit)}`
  const candidates = sql`SELECT *, max(session_rank) OVER () AS candidate_sessions, ${nodeSql(goal)} AS node
      FROM (${rankedSessions}) AS ranked_session`
  const walked = sql`SELECT *, lag(node) OVER (${NODE_ORDER}) AS previous_node,
        min(CASE WHEN event = ${goal} THEN place END) OVER (PARTITION BY session_id) AS goal_place
      FROM (${candidates}) AS candidate_event WHERE session_rank <= ${integer(sessionCap)}`
  const steps = sql`SELECT *, CASE WHEN node IS NOT NULL AND (previous_node IS NULL OR previous_node <> node)
          AND (goal_place IS NULL OR place <= goal_place) THEN 1 ELSE 0 END AS is_step
      FROM (${walked}) AS walked_event`
  const numbered = sql`SELECT *, sum(is_step) OVER (PARTITION BY session_id ORDER BY place) AS step FROM (${steps}) AS step_event`
  const isKept = sql`is_step = 1 AND step <= ${integer(maxSteps + 1)}`
  const walks = sql`SELECT session_id, max(entry_page) AS entry_page, max(exit_page) AS exit_page,
        json_format(CAST(array_agg(node ORDER BY place) FILTER (WHERE ${isKept}) AS json)) AS nodes,
        max(candidate_sessions) AS candidate_sessions, max(entry_pages) AS entry_pages
      FROM (${numbered}) AS numbered_event GROUP BY session_id`
  return sql`SELECT entry_page, exit_page, nodes, count(*) AS sessions, max(candidate_sessions) AS candidate_sessions,
      max(entry_pages) AS entry_pages
    FROM (${walks}) AS walk GROUP BY entry_page, exit_page, nodes`
}

const NODE_ORDER = sql`PARTITION BY session_id, CASE WHEN node IS NULL THEN 1 ELSE 0 END ORDER BY place`

/** The node of an event, or null for an event that a path skips. */
function nodeSql(goal: string): SqlQuery {
  const skipped = NON_INTERACTIVE_EVENTS.filter(event => event !== 'page_view')
  const skippedNames = join(
    skipped.map(event => ({ text: `'${event}'`, params: [] })),
    ', ',
  )
  return sql`CASE WHEN event = ${goal} THEN concat('g', event)
        WHEN event = 'page_view' THEN CASE WHEN path IS NOT NULL AND path <> '' AND path <> entry_page THEN concat('p', path) END
        WHEN event IN (${skippedNames}) THEN NULL
        ELSE concat('e', event) END`
}
