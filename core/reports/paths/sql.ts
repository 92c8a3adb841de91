import { events, type LakeRead, sessions } from '#core/lake/relations'
import { PAGE } from '#core/lake/session-fragments'
import { unixMs } from '#core/lake/session-rows'
import type { SqlQuery } from '#core/ports'
import { integer, join, sql } from '#core/sql'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'

export type PathsPlan = { goal: string; maxSteps: number; entryLimit: number; sessionCap: number }

/**
 * Sessions with equal starts are in the order of their ids, which the rollup does not know. So the candidates are up to this many more
 * than the cap, and walksSql cuts them.
 */
const TIES = 100

/**
 * The newest sessions, up to the cap and TIES, of those that begin with one of the most frequent entry pages: (session_key, start_time,
 * candidate_sessions, entry_pages), contract 2.3, steps 1 and 2. candidate_sessions counts all sessions with these entry pages,
 * entry_pages all entry pages.
 */
export function candidatesSql(read: LakeRead, { entryLimit, sessionCap }: PathsPlan): SqlQuery {
  const entries = sql`SELECT session_key, start_at, entry_page
      FROM ${sessions(read, ['start_at', 'entry_page'])} AS session WHERE entry_page IS NOT NULL`
  const ranked = sql`SELECT entry_page AS ranked_page, entry_sessions, count(*) OVER () AS entry_pages,
        row_number() OVER (ORDER BY entry_sessions DESC, entry_page) AS entry_rank
      FROM (SELECT entry_page, count(*) AS entry_sessions FROM entry GROUP BY entry_page) AS entry_total`
  const frequent = sql`SELECT ranked_page, entry_pages, CAST(sum(entry_sessions) OVER () AS bigint) AS candidate_sessions
      FROM (${ranked}) AS ranked_entry WHERE entry_rank <= ${integer(entryLimit)}`
  const newest = sql`SELECT session_key, ${unixMs(sql`start_at`)} AS start_time, candidate_sessions, entry_pages
      FROM entry JOIN (${frequent}) AS frequent_entry ON ranked_page = entry_page
      ORDER BY start_time DESC, session_key LIMIT ${integer(sessionCap + TIES)}`
  return sql`WITH entry AS (${entries})
    SELECT session_key, start_time, candidate_sessions, entry_pages
    FROM (SELECT *, rank() OVER (ORDER BY start_time DESC) AS start_rank FROM (${newest}) AS newest_session) AS ranked_session
    WHERE start_rank <= ${integer(sessionCap)}
    ORDER BY start_time DESC, session_key`
}

/**
 * Rows (entry_page, exit_page, nodes, sessions): how many candidate sessions walked the same nodes (contract 2.3, steps 3 and 4). `nodes`
 * is a JSON array of at most maxSteps + 1 texts: the first letter is the type (`p` page, `e` event, `g` goal), the rest is the
 * value. `isCandidate` selects the events of the candidates; `read` begins with the first of them. Each level adds what the next
 * one needs.
 */
export function walksSql(
  read: LakeRead,
  { goal, maxSteps, sessionCap }: PathsPlan,
  isCandidate: SqlQuery,
): SqlQuery {
  const fields = ['session_id', 'timestamp', 'lag_s', 'seq', 'event', 'path', 'url'] as const
  const ordered = sql`SELECT session_id, event, path, ${PAGE} AS page,
        row_number() OVER (PARTITION BY session_id ORDER BY timestamp, lag_s, seq) AS place,
        min(timestamp) OVER (PARTITION BY session_id) AS start_at
      FROM ${events(read, fields)} AS each_event WHERE session_id IS NOT NULL AND ${isCandidate}`
  const pagePlaces = sql`SELECT *, min(CASE WHEN page IS NOT NULL THEN place END) OVER (PARTITION BY session_id) AS entry_place,
        max(CASE WHEN page IS NOT NULL THEN place END) OVER (PARTITION BY session_id) AS exit_place
      FROM (${ordered}) AS ordered_event`
  const pages = sql`SELECT *, max(CASE WHEN place = entry_place THEN page END) OVER (PARTITION BY session_id) AS entry_page,
        max(CASE WHEN place = exit_place THEN page END) OVER (PARTITION BY session_id) AS exit_page
      FROM (${pagePlaces}) AS placed_event`
  const candidates = sql`SELECT *, ${nodeSql(goal)} AS node, dense_rank() OVER (ORDER BY start_at DESC, session_id DESC) AS session_rank
      FROM (${pages}) AS paged_event`
  const walked = sql`SELECT *, lag(node) OVER (${NODE_ORDER}) AS previous_node,
        min(CASE WHEN event = ${goal} THEN place END) OVER (PARTITION BY session_id) AS goal_place
      FROM (${candidates}) AS candidate_event WHERE session_rank <= ${integer(sessionCap)}`
  const steps = sql`SELECT *, CASE WHEN node IS NOT NULL AND (previous_node IS NULL OR previous_node <> node)
          AND (goal_place IS NULL OR place <= goal_place) THEN 1 ELSE 0 END AS is_step
      FROM (${walked}) AS walked_event`
  const numbered = sql`SELECT *, sum(is_step) OVER (PARTITION BY session_id ORDER BY place) AS step FROM (${steps}) AS step_event`
  const isKept = sql`is_step = 1 AND step <= ${integer(maxSteps + 1)}`
  const walks = sql`SELECT session_id, max(entry_page) AS entry_page, max(exit_page) AS exit_page,
        json_format(CAST(array_agg(node ORDER BY place) FILTER (WHERE ${isKept}) AS json)) AS nodes
      FROM (${numbered}) AS numbered_event GROUP BY session_id`
  return sql`SELECT entry_page, exit_page, nodes, count(*) AS sessions
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
