/**
 * The tables that copies and exports of a project have (docs/cli.md): `events`, and those that follow from
 * it.
 */

/** The columns of an event as GET /events returns it; what it may leave out is null. */
const COLUMNS = `{
  id: 'VARCHAR', event_id: 'VARCHAR', event: 'VARCHAR', timestamp: 'BIGINT', date: 'DATE',
  user_id: 'VARCHAR', session_id: 'VARCHAR', country: 'VARCHAR', properties: 'JSON' }`

/** The events of a file with lines of JSON, whose name is the parameter $1. */
export const EVENTS_OF_LINES = `SELECT id, event_id, event, make_timestamp(timestamp * 1000) AS timestamp, date,
  user_id, session_id, country, json_extract_string(properties, '$.path') AS path, properties
  FROM read_json($1, format = 'newline_delimited', columns = ${COLUMNS}, maximum_object_size = 67108864)
  ORDER BY timestamp, id`

/** What the other tables select from the table `events`. */
export const FROM_EVENTS = {
  sessions: `SELECT session_id, any_value(user_id) AS user_id,
    min(timestamp) AS started_at, max(timestamp) AS ended_at, count(*) AS events,
    arg_min(path, timestamp) AS entry_page, arg_max(path, timestamp) AS exit_page, any_value(country) AS country
    FROM events WHERE session_id IS NOT NULL GROUP BY session_id ORDER BY started_at`,
  people: `SELECT user_id, min(timestamp) AS first_seen_at, max(timestamp) AS last_seen_at,
    count(*) AS events, count(DISTINCT session_id) AS sessions
    FROM events WHERE user_id IS NOT NULL GROUP BY user_id ORDER BY first_seen_at`,
} as const

/** Rows (day, events) of the table `events`. */
export const COUNT_DAYS =
  'SELECT CAST(date AS VARCHAR) AS day, CAST(count(*) AS INTEGER) AS events FROM events GROUP BY date'
