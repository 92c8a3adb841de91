import { PAGE } from '#core/lake/read/session-fragments'
import { PART_VALUES, partValue } from '#core/lake/read/user-parts'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import { readFiles } from './compaction-sql.ts'
import { text } from './tables.ts'

/** The rows of segment_sessions, for DuckDB only. Without may_be_split, which withSplit adds. */

/** The rows, from the events of a bucket in event_rows. */
export function sessionsOfEvents(bucket: number): string {
  const names = NON_INTERACTIVE_EVENTS.map(text).join(', ')
  const events = `(SELECT *, ${PAGE.text} AS page FROM event_rows WHERE session_key IS NOT NULL AND bucket = ${bucket})`
  const sessions = sessionRows(`
      SELECT project_id, date, session_key, min(timestamp) AS start_at, max(timestamp) AS end_at,
        count(*) AS event_count, count(*) FILTER (WHERE event NOT IN (${names})) AS interactive_count,
        max({time: timestamp, lag_s: lag_s, seq: seq, value: user_key}) FILTER (WHERE user_key IS NOT NULL) AS last_user,
        min({time: timestamp, lag_s: lag_s, seq: seq, value: page}) FILTER (WHERE page IS NOT NULL) AS first_page,
        max({time: timestamp, lag_s: lag_s, seq: seq, value: page}) FILTER (WHERE page IS NOT NULL) AS last_page
      FROM ${events} GROUP BY project_id, date, session_key`)
  const pieces = `
      SELECT project_id, date, session_key, user_key, timestamp AS start_at, timestamp AS end_at,
        {time: timestamp, lag_s: lag_s, seq: seq} AS last_event, 1 AS event_count,
        CASE WHEN event IN (${names}) THEN 0 ELSE 1 END AS interactive_count,
        CASE WHEN page IS NOT NULL THEN {time: timestamp, lag_s: lag_s, seq: seq, value: page} END AS first_page, first_page AS last_page
      FROM ${events}`
  return withUserParts(sessions, `(${sharedSessions(events, 'false')})`, pieces)
}

/**
 * The rows, from those of segments. They are those that sessionsOfEvents makes of all their events, but for
 * two values of one session from different segments with the same millisecond and second of arrival: the
 * order of these values is then that of their texts and keys.
 */
export function sessionsOfSegments(files: readonly string[]): string {
  const rows = readFiles(files)
  const sessions = sessionRows(`
      SELECT project_id, date, session_key, min(start_at) AS start_at, max(end_at) AS end_at,
        sum(event_count) AS event_count, sum(interactive_count) AS interactive_count,
        max({time: coalesce(user_at, end_at), lag_s: user_lag_s, value: user_key})
          FILTER (WHERE user_key IS NOT NULL) AS last_user,
        min({time: coalesce(entry_at, start_at), lag_s: entry_lag_s, value: entry_page})
          FILTER (WHERE entry_page IS NOT NULL) AS first_page,
        max({time: coalesce(exit_at, end_at), lag_s: exit_lag_s, value: exit_page})
          FILTER (WHERE exit_page IS NOT NULL) AS last_page
      FROM ${rows} GROUP BY project_id, date, session_key`)
  // A row without parts has the events of one user, or of none.
  const ofOne = `
      SELECT project_id, date, session_key, user_key, start_at, end_at,
        {time: end_at, lag_s: coalesce(user_lag_s, 0), seq: -1} AS last_event, event_count, interactive_count,
        CASE WHEN entry_page IS NOT NULL THEN {time: coalesce(entry_at, start_at), lag_s: entry_lag_s, seq: -1, value: entry_page} END AS first_page,
        CASE WHEN exit_page IS NOT NULL THEN {time: coalesce(exit_at, end_at), lag_s: exit_lag_s, seq: -1, value: exit_page} END AS last_page
      FROM ${rows} WHERE user_parts IS NULL`
  const ofSeveral = `
      SELECT project_id, date, session_key, ${value('user_key')} AS user_key, ${value('start_at')} AS start_at, ${value('end_at')} AS end_at,
        {time: ${value('end_at')}, lag_s: coalesce(${value('last_lag_s')}, 0), seq: coalesce(${value('last_seq')}, -1)} AS last_event,
        ${value('event_count')} AS event_count, ${value('interactive_count')} AS interactive_count,
        ${pageOf('entry')} AS first_page, ${pageOf('exit')} AS last_page
      FROM (SELECT project_id, date, session_key, unnest(string_split(user_parts, ',')) AS part FROM ${rows} WHERE user_parts IS NOT NULL)`
  const shared = sharedSessions(rows, 'count(user_parts) > 0')
  return withUserParts(sessions, `(${shared})`, `${ofOne} UNION ALL ${ofSeveral}`)
}

function sessionRows(sessions: string): string {
  return `
    SELECT project_id, date, session_key,
      last_user.value AS user_key, nullif(last_user.time, end_at) AS user_at, last_user.lag_s AS user_lag_s,
      start_at, end_at, event_count, interactive_count,
      first_page.value AS entry_page, nullif(first_page.time, start_at) AS entry_at, first_page.lag_s AS entry_lag_s,
      last_page.value AS exit_page, nullif(last_page.time, end_at) AS exit_at, last_page.lag_s AS exit_lag_s
    FROM (${sessions})`
}

/**
 * The sessions with rows of several users. Few sessions are, so finding them first costs less than keeping
 * the parts of all.
 */
function sharedSessions(rows: string, areParts: string): string {
  return `SELECT project_id, date, session_key FROM ${rows} GROUP BY project_id, date, session_key
      HAVING min(coalesce(user_key, -1)) <> max(coalesce(user_key, -1)) OR ${areParts}`
}

/** Adds user_parts to rows of sessions. `pieces`: what any user has of any session. */
function withUserParts(sessions: string, shared: string, pieces: string): string {
  return `
    SELECT session_rows.*, user_parts
    FROM (${sessions}) AS session_rows
    LEFT JOIN (
      SELECT project_id, date, session_key, string_agg(part, ',' ORDER BY user_key) AS user_parts
      FROM (
        SELECT project_id, date, session_key, user_key, concat_ws('|', ${PART_VALUES.map(name => `coalesce(CAST(${WRITTEN[name]} AS varchar), '')`).join(', ')}) AS part
        FROM (
          SELECT project_id, date, session_key, user_key, min(start_at) AS start_at, max(end_at) AS end_at, max(last_event) AS last_event,
            sum(event_count) AS event_count, sum(interactive_count) AS interactive_count,
            min(first_page) AS first_page, max(last_page) AS last_page
          FROM (${pieces}) SEMI JOIN ${shared} AS shared USING (project_id, date, session_key)
          GROUP BY project_id, date, session_key, user_key))
      GROUP BY project_id, date, session_key) AS shared_sessions USING (project_id, date, session_key)`
}

/** The values of a part, from the columns of withUserParts. */
const WRITTEN: Readonly<Record<(typeof PART_VALUES)[number], string>> = {
  user_key: 'user_key',
  last_lag_s: 'CASE WHEN user_key IS NOT NULL THEN last_event.lag_s END',
  last_seq: 'CASE WHEN user_key IS NOT NULL THEN last_event.seq END',
  start_at: 'start_at',
  end_at: 'end_at',
  event_count: 'event_count',
  interactive_count: 'interactive_count',
  entry_page: 'url_encode(first_page.value)',
  entry_at: 'first_page.time',
  entry_lag_s: 'first_page.lag_s',
  entry_seq: 'first_page.seq',
  exit_page: 'url_encode(last_page.value)',
  exit_at: 'last_page.time',
  exit_lag_s: 'last_page.lag_s',
  exit_seq: 'last_page.seq',
}

function value(name: (typeof PART_VALUES)[number]): string {
  return partValue(name).text
}

function pageOf(side: 'entry' | 'exit'): string {
  const struct = `{time: ${value(`${side}_at`)}, lag_s: ${value(`${side}_lag_s`)}, seq: ${value(`${side}_seq`)}, value: ${value(`${side}_page`)}}`
  return `CASE WHEN ${value(`${side}_page`)} IS NOT NULL THEN ${struct} END`
}
