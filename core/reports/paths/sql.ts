import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events, sessions } from '#core/lake/read/relations'
import { PAGE } from '#core/lake/read/session-rule'
import type { SqlQuery } from '#core/ports'
import { integer, join, sql, trustedSql, unixMs } from '#core/sql/sql'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'

export type PathsPlan = {
  goal: string
  maxSteps: number
  entryLimit: number
  sessionCap: number
  /** Whether the walks of different users are different rows. */
  hasUsers: boolean
}

/**
 * One more than the cap of the newest sessions of those that begin with one of the most frequent entry pages:
 * (session_key, start_time, entry_pages), docs/api/paths.md, steps 1 and 2. entry_pages counts the entry
 * pages, up to one more than the limit.
 */
export function candidatesSql(read: LakeRead, plan: PathsPlan): SqlQuery {
  return sql`${selectCandidates(read, plan, sql`true`)}
    ORDER BY start_time DESC, session_key DESC LIMIT ${integer(plan.sessionCap + 1)}`
}

/** The sessions that begin with one of the most frequent entry pages, and fulfil a condition on start_at. */
export function selectCandidates(read: LakeRead, { entryLimit }: PathsPlan, condition: SqlQuery): SqlQuery {
  const entries = sql`SELECT session_key, start_at, entry_page
      FROM ${sessions(read, ['start_at', 'entry_page'])} AS session WHERE entry_page IS NOT NULL`
  const ranked = sql`SELECT entry_page, row_number() OVER (ORDER BY entry_sessions DESC, entry_page) AS entry_rank
        FROM (SELECT entry_page, count(*) AS entry_sessions FROM entry GROUP BY entry_page) AS entry_total`
  const frequent = sql`SELECT array_agg(entry_page) FILTER (WHERE entry_rank <= ${integer(entryLimit)}) AS pages, count(*) AS entry_pages
        FROM (${ranked}) AS ranked_entry WHERE entry_rank <= ${integer(entryLimit + 1)}`
  const pages = sql`SELECT frequent_page, entry_pages FROM (${frequent}) AS frequent_entry CROSS JOIN UNNEST(pages) AS page_of_list(frequent_page)`
  return sql`WITH entry AS (${entries})
    SELECT session_key, ${unixMs(sql`start_at`)} AS start_time, entry_pages
    FROM entry JOIN (${pages}) AS frequent_page_of_list ON frequent_page = entry_page WHERE ${condition}`
}

/**
 * Rows (entry_page, exit_page, nodes, reached, sessions): how many candidate sessions walked the same nodes
 * (docs/api/paths.md, steps 3 and 4), with `hasUsers` also user_id. `reached` is 1 for those that sent the
 * goal at any time, also beyond the bound. `nodes` is a JSON array of at most maxSteps + 1 texts: the first
 * letter is the type (`p` page, `e` event, `g` goal), the rest is the value.
 * `isCandidate` selects the events of the candidates; `read` begins with the first of them. Each level adds
 * what the next one needs.
 */
export function walksSql(
  read: LakeRead,
  { goal, maxSteps, hasUsers }: PathsPlan,
  isCandidate: SqlQuery,
): SqlQuery {
  const fields = ['session_id', 'timestamp', 'lag_s', 'seq', 'event', 'path', 'url'] as const
  const user = hasUsers ? sql`user_id, ` : sql``
  // One window with one order for all three, so that the engines sort the events once.
  const byTime = sql`PARTITION BY session_id ORDER BY timestamp, lag_s, seq`
  const ordered = sql`SELECT *, row_number() OVER (${byTime}) AS place,
        count(page) OVER (${byTime} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS page_number,
        count(CASE WHEN event = ${goal} THEN 1 END)
          OVER (${byTime} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS goal_number
      FROM (SELECT ${user}session_id, timestamp, lag_s, seq, event, path, ${PAGE} AS page
        FROM ${events(withoutWhere(read), hasUsers ? [...fields, 'user_id'] : fields)} AS each_event WHERE session_id IS NOT NULL AND ${isCandidate}) AS candidate_event`
  const entered = sql`SELECT *, max(CASE WHEN page IS NOT NULL AND page_number = 1 THEN page END) OVER (PARTITION BY session_id) AS entry_page
      FROM (${ordered}) AS ordered_event`
  const nodes = sql`SELECT *, ${nodeSql(goal)} AS node FROM (${entered}) AS entered_event`
  const walked = sql`SELECT *, lag(node) OVER (${NODE_ORDER}) AS previous_node FROM (${nodes}) AS node_event`
  const isBeforeGoal = sql`(goal_number = 0 OR goal_number = 1 AND event = ${goal})`
  const steps = sql`SELECT *, CASE WHEN node IS NOT NULL AND (previous_node IS NULL OR previous_node <> node)
          AND ${isBeforeGoal} THEN 1 ELSE 0 END AS is_step
      FROM (${walked}) AS walked_event`
  const numbered = sql`SELECT *, sum(is_step) OVER (PARTITION BY session_id ORDER BY place) AS step FROM (${steps}) AS step_event`
  const isKept = sql`is_step = 1 AND step <= ${integer(maxSteps + 1)}`
  const walks = sql`SELECT session_id, ${hasUsers ? sql`max(user_id) AS user_id, ` : sql``}max(entry_page) AS entry_page, max_by(page, place) FILTER (WHERE page IS NOT NULL) AS exit_page,
        json_format(CAST(array_agg(node ORDER BY place) FILTER (WHERE ${isKept}) AS json)) AS nodes,
        max(CASE WHEN goal_number > 0 THEN 1 ELSE 0 END) AS reached
      FROM (${numbered}) AS numbered_event GROUP BY session_id`
  return sql`SELECT ${user}entry_page, exit_page, nodes, reached, count(*) AS sessions
    FROM (${walks}) AS walk GROUP BY ${user}entry_page, exit_page, nodes, reached`
}

const NODE_ORDER = sql`PARTITION BY session_id, CASE WHEN node IS NULL THEN 1 ELSE 0 END ORDER BY place`

/** The node of an event, or null for an event that a path skips. */
function nodeSql(goal: string): SqlQuery {
  const skipped = NON_INTERACTIVE_EVENTS.filter(event => event !== 'page_view')
  const skippedNames = join(
    skipped.map(event => trustedSql(`'${event}'`)),
    ', ',
  )
  return sql`CASE WHEN event = ${goal} THEN concat('g', event)
        WHEN event = 'page_view' THEN CASE WHEN path IS NOT NULL AND path <> '' AND path <> entry_page THEN concat('p', path) END
        WHEN event IN (${skippedNames}) THEN NULL
        ELSE concat('e', event) END`
}
