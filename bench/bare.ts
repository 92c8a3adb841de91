/**
 * The questions of bench/questions.ts in plain SQL of DuckDB, as a person would write them for one file of
 * events. They leave out the rules that only the service has: retries, linked users, sessions that began
 * before the range. An entry is a list of statements, which run one after the other.
 */

const SESSIONS = `(SELECT session_id, max_by(user_id, timestamp) AS user_id, min(timestamp) AS start_at, max(timestamp) AS end_at,
    count(*) AS events, bool_and(event IN ('page_view', '$impression', '$scroll_depth', '$error', '$time_on_page', '$performance',
      '$web_vitals', '$experiment_exposure')) AS is_bounce,
    min_by(path, timestamp) AS entry_page, max_by(path, timestamp) AS exit_page
  FROM recent WHERE session_id IS NOT NULL GROUP BY session_id)`
const DURATION = `date_diff('millisecond', start_at, end_at)`

const STATS = [
  'SELECT CAST(timestamp AS date) AS day, count(*), count(DISTINCT user_id) FROM recent GROUP BY day ORDER BY day',
  'SELECT event, count(*), count(DISTINCT user_id) FROM recent GROUP BY event ORDER BY 2 DESC LIMIT 20',
  'SELECT country, count(*), count(DISTINCT user_id) FROM recent GROUP BY country ORDER BY 2 DESC LIMIT 20',
  'SELECT count(*), count(DISTINCT user_id) FROM recent',
  `SELECT count(*), count(DISTINCT user_id), sum(is_bounce::integer), sum(${DURATION}), sum(events) FROM ${SESSIONS}`,
]

/**
 * The users who reach each step of a funnel in order, within a week, and the events and users of each step. A
 * step is the first event of its name after the step before.
 */
function funnel(steps: readonly string[], breakdown: 'country' | null): string[] {
  const group = breakdown === null ? 'NULL' : `min_by(${breakdown}, timestamp)`
  const ctes = steps.map((step, i) =>
    i === 0
      ? `step_0 AS (SELECT user_id, min(timestamp) AS reached_at, min(timestamp) AS started_at, ${group} AS part
          FROM recent WHERE event = '${step}' AND user_id IS NOT NULL GROUP BY user_id ORDER BY reached_at LIMIT 10000)`
      : `step_${i} AS (SELECT user_id, min(timestamp) AS reached_at, any_value(started_at) AS started_at, any_value(part) AS part
          FROM recent JOIN step_${i - 1} USING (user_id)
          WHERE event = '${step}' AND timestamp > reached_at AND timestamp <= started_at + INTERVAL 7 DAY GROUP BY user_id)`,
  )
  const counts = steps.map((_, i) => `SELECT ${i} AS step, part, count(*) FROM step_${i} GROUP BY part`)
  const names = steps.map(step => `'${step}'`).join(', ')
  return [
    `WITH ${ctes.join(', ')} ${counts.join(' UNION ALL ')}`,
    `SELECT event, count(*), count(DISTINCT user_id) FROM recent WHERE event IN (${names}) GROUP BY event`,
  ]
}

/** The same statements over the rows for which a condition holds. */
function chosen(condition: string, statements: readonly string[]): string[] {
  const rows = `(SELECT * FROM recent WHERE ${condition}) AS recent`
  return statements.map(statement => statement.replaceAll(/\b(FROM|JOIN) recent\b/g, `$1 ${rows}`))
}

const OF_BUYERS = "user_id IN (SELECT user_id FROM recent WHERE event = 'purchase')"

/** A few of the rules of channels: a person would not write all of them. */
const CHANNEL = `CASE WHEN medium = 'email' THEN 'email' WHEN medium IN ('cpc', 'ppc') THEN 'paid_search'
  WHEN regexp_matches(referrer, '//(www\\.)?(google|bing|duckduckgo)\\.') THEN 'organic_search'
  WHEN regexp_matches(referrer, '//(www\\.)?(reddit|facebook|linkedin)\\.') THEN 'organic_social'
  WHEN referrer <> '' THEN 'referral' ELSE 'direct' END`

/** By the name of the question. `recent` is the view of the events of the question's days. */
export const bareQuestions: Readonly<Record<string, (userId: string) => string[]>> = {
  'stats 1 day': () => STATS,
  'stats 7 days': () => STATS,
  stats: () => STATS,
  'query by date': () => [
    'SELECT CAST(timestamp AS date) AS day, count(DISTINCT session_id) FROM recent GROUP BY day ORDER BY day',
  ],
  'query by event': () => [
    'SELECT event, count(DISTINCT session_id) AS sessions FROM recent GROUP BY event ORDER BY sessions DESC',
  ],
  'query with a property filter': () => [
    `SELECT CAST(timestamp AS date) AS day, count(DISTINCT session_id) FROM recent WHERE properties->>'plan' = 'pro'
      GROUP BY day ORDER BY day`,
  ],
  'breakdown by path': () => [
    'SELECT path, count(*) AS events, count(DISTINCT user_id) FROM recent GROUP BY path ORDER BY events DESC LIMIT 20',
  ],
  'breakdown by a JSON key': () => [
    `SELECT properties->>'plan' AS plan, count(*) AS events, count(DISTINCT user_id) FROM recent GROUP BY plan
      ORDER BY events DESC LIMIT 20`,
  ],
  insights: () => [
    'SELECT count(*), count(DISTINCT user_id) FROM recent',
    `SELECT count(*), sum(is_bounce::integer), sum(${DURATION}) FROM ${SESSIONS}`,
  ],
  pages: () =>
    ['entry_page', 'exit_page'].map(
      page => `SELECT ${page}, count(*) AS sessions, sum(is_bounce::integer), avg(${DURATION}), avg(events)
        FROM ${SESSIONS} GROUP BY ${page} ORDER BY sessions DESC LIMIT 20`,
    ),
  sessions: () => [`SELECT * FROM ${SESSIONS} ORDER BY start_at DESC LIMIT 100`],
  distribution: () => [
    `SELECT CASE WHEN ms = 0 THEN 0 WHEN ms < 10000 THEN 1 WHEN ms < 30000 THEN 2 WHEN ms < 60000 THEN 3 WHEN ms < 180000 THEN 4
        WHEN ms < 600000 THEN 5 ELSE 6 END AS part, count(*)
      FROM (SELECT ${DURATION} AS ms FROM ${SESSIONS}) GROUP BY part`,
  ],
  heatmap: () => [
    'SELECT dayofweek(timestamp) AS day, hour(timestamp) AS hour, count(*), count(DISTINCT user_id) FROM recent GROUP BY ALL',
  ],
  retention: () => [
    `WITH weeks AS (SELECT DISTINCT user_id, date_trunc('week', timestamp) AS week FROM recent WHERE user_id IS NOT NULL),
      firsts AS (SELECT user_id, min(week) AS cohort FROM weeks GROUP BY user_id)
      SELECT cohort, week, count(*) FROM weeks JOIN firsts USING (user_id) GROUP BY ALL`,
  ],
  'funnel of 3 steps': () => funnel(['page_view', 'signup', 'purchase'], null),
  'funnel of 8 steps by country': () =>
    funnel([...Array.from({ length: 6 }, () => 'page_view'), 'signup', 'purchase'], 'country'),
  paths: () => [
    `WITH newest AS (SELECT session_id, min(timestamp) AS start_at FROM recent WHERE session_id IS NOT NULL
        GROUP BY session_id ORDER BY start_at DESC LIMIT 5000),
      walks AS (SELECT session_id, list(coalesce(path, event) ORDER BY timestamp)[:6] AS nodes
        FROM recent JOIN newest USING (session_id) GROUP BY session_id)
      SELECT nodes, count(*) AS sessions FROM walks GROUP BY nodes ORDER BY sessions DESC LIMIT 50`,
  ],
  events: () => ['SELECT * FROM recent ORDER BY timestamp DESC LIMIT 100'],
  'journey of one user': userId => [
    `SELECT * FROM recent WHERE user_id = '${userId.replaceAll("'", "''")}' ORDER BY timestamp DESC LIMIT 100`,
  ],
  properties: () => [
    `SELECT event, count(*), count(DISTINCT user_id), min(timestamp), max(timestamp) FROM recent GROUP BY event`,
    `SELECT DISTINCT unnest(json_keys(properties)) FROM (SELECT properties FROM recent ORDER BY timestamp DESC LIMIT 5000)`,
  ],
  'sources by channel with a goal': () => [
    `WITH goal AS (SELECT DISTINCT session_id FROM recent WHERE event = 'signup'),
      came AS (SELECT session_id, min_by(properties->>'utm_medium', timestamp) AS medium,
        coalesce(min_by(properties->>'referrer', timestamp), '') AS referrer FROM recent WHERE path IS NOT NULL GROUP BY session_id)
      SELECT ${CHANNEL} AS channel, count(*), count(DISTINCT user_id), sum(is_bounce::integer), avg(${DURATION}), count(goal.session_id)
      FROM ${SESSIONS} AS visit LEFT JOIN came USING (session_id) LEFT JOIN goal USING (session_id) GROUP BY channel`,
  ],
  'chosen stats of a country': () => chosen("country = 'DE'", STATS),
  'chosen stats of a property': () => chosen("properties->>'plan' = 'pro'", STATS),
  'chosen pages of buyers': userId => chosen(OF_BUYERS, bareQuestions.pages?.(userId) ?? []),
  'chosen retention of buyers': userId => chosen(OF_BUYERS, bareQuestions.retention?.(userId) ?? []),
  'chosen funnel of a country': () =>
    chosen(
      "user_id IN (SELECT user_id FROM recent WHERE country = 'DE')",
      funnel(['page_view', 'signup', 'purchase'], null),
    ),
}
