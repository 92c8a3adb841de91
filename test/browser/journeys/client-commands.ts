import * as z from 'zod'

/**
 * A read of the reference client: what the command sends, with its nulls, and what it reads of the response
 * without a guard.
 */
export type ClientCommand = {
  name: string
  method: 'GET' | 'POST'
  path: string
  body?: Record<string, unknown>
  /** A field that is missing or has another type would crash the client, or it would print "undefined". */
  reads: z.ZodType
}

const { array, boolean, number, object, string } = z
const text = string()
const count = number()
const textOrNull = text.nullable()
const anyList = array(z.unknown())
/** A list with at least one entry, so that the fields of its entries are checked. */
const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => array(object(shape)).min(1)

const period = object({ from: text, to: text })
const delta = object({ current: count, previous: count, change: count, change_pct: count.nullable() })
const profiles = listOf({ user_id: text })

const eventShape = {
  ...{ timestamp: count, event: text, user_id: textOrNull, country: textOrNull },
  properties: z.record(text, z.unknown()).nullable(),
}
const events = object({ events: listOf(eventShape) })
const person = object({ events: listOf({ ...eventShape, session_id: textOrNull }), profiles })

const stats = object({
  project: text,
  period,
  totals: object({ unique_users: count, total_events: count }),
  timeSeries: listOf({ bucket: text, total_events: count }),
  events: listOf({ event: text, count, unique_users: count }),
  countries: listOf({ country: textOrNull, count }),
})

const query = object({
  period,
  rows: listOf({ event: text, event_count: count, unique_users: count }),
  count,
})

const properties = object({
  events: listOf({ event: text, count, first_seen: text, last_seen: text }),
  property_keys: array(text).min(1),
})

const received = object({ sample_size: count, since: text, properties: listOf({ key: text, event: text }) })

const sessions = object({
  sessions: listOf({
    ...{ session_id: text, start_time: count, duration: count, is_bounce: count, event_count: count },
    ...{ entry_page: textOrNull, exit_page: textOrNull, has_replay: boolean(), replay_count: count },
  }),
})

const insights = object({
  metrics: object({
    ...{ total_events: delta, unique_users: delta, total_sessions: delta },
    ...{ bounce_rate: delta, avg_duration: delta },
  }),
  trend: text,
})

const breakdown = object({
  values: listOf({ value: text, count, unique_users: count }),
  ...{ total_events: count, total_with_property: count },
})

const pages = listOf({
  page: text,
  sessions: count,
  bounce_rate: count,
  avg_duration: count,
  avg_events: count,
})

const paths = object({
  bounds: object({ max_steps: count, entry_limit: count, path_limit: count, candidate_session_cap: count }),
  entry_paths: listOf({
    ...{ entry_page: text, sessions: count, conversions: count, conversion_rate: count },
    exit_pages: listOf({ exit_page: text, sessions: count, drop_offs: count, drop_off_rate: count }),
    tree: listOf({ type: text, value: text, sessions: count, conversion_rate: count, children: anyList }),
  }),
})

const distribution = object({
  distribution: listOf({ bucket: text, sessions: count, pct: count }),
  ...{ median_bucket: text, engaged_pct: count },
})

const heatmap = object({
  heatmap: listOf({ day: count, hour: count, events: count, users: count }),
  peak: object({ day_name: text, hour: count, events: count }),
  ...{ busiest_day: text, busiest_hour: count },
})

const step = {
  ...{ step: count, event: text, strict_survivors: count, conversion_rate: count, drop_off_rate: count },
  avg_time_to_next_ms: count.nullable(),
}
const funnel = object({
  steps: listOf({ ...step, raw_activity: object({ event_count: count }) }),
  ...{ overall_conversion_rate: count, warnings: anyList, caveats: anyList },
})
const breakdowns = listOf({ value: textOrNull, steps: listOf(step), overall_conversion_rate: count })

const retention = object({
  period: text,
  cohorts: listOf({ date: text, users: count, rates: array(count).min(1) }),
  ...{ average_rates: array(count).min(1), users_analyzed: count },
})

const live = object({
  ...{ active_visitors: count, active_sessions: count, events_per_minute: count },
  ...{ top_pages: anyList, top_events: anyList, countries: anyList, recent_events: anyList },
})

const allSites = object({
  summary: object({ total_projects: count, active_projects: count, total_events: delta }),
  time_series: listOf({ date: text, events: count }),
  projects: listOf({ id: text, name: text, events: count, share_pct: count, last_active_date: textOrNull }),
  remaining_projects: count,
})

const bots = {
  categories: anyList,
  time_series: listOf({ date: text, requests: count, dropped_events: count }),
}
const botSums = { automated_requests: delta, dropped_events: delta, last_seen_at: count.nullable() }
const botTraffic = object({ ...bots, summary: object(botSums), actors: anyList })
const allBotTraffic = object({
  ...bots,
  summary: object({ ...botSums, active_projects: count, total_projects: count }),
  ...{ projects: anyList, remaining_projects: count },
})

/** Of `account-usage` and `upgrade-link`. */
const usage = object({
  ...{ tier: text, entitlement_source: text },
  usage: object({ total_events_this_month: count, total_reads_this_month: count, estimated_bill: count }),
  spend_cap: object({ monthly_spend_cap_dollars: count.nullable() }),
  tier_limits: object({ max_events_per_month: count, max_reads_per_month: count }),
  payment: object({
    ...{ state: text, next_action: object({ url: text, reason: text }).nullable() },
    polling: object({ endpoint: text, interval_seconds: count, max_wait_seconds: count }),
    status: object({ can_retry_pro_task: boolean() }),
  }),
})

const QUERY = {
  ...{ metrics: ['event_count', 'unique_users'], group_by: ['event'], limit: 100, email: null },
  filters: [{ field: 'event', op: 'neq', value: 'none' }],
  ...{ date_from: '7d', date_to: null, count_mode: null, order_by: null, order: null },
}
const PATHS = { goal_event: 'signup', since: null, max_steps: 5, entry_limit: 10, path_limit: 5 }
const FUNNEL = { conversion_window_hours: 168, since: null, count_by: null }
const STEPS = [
  { event: 'page_view', filters: [] },
  { event: 'signup', filters: [{ property: 'plan', op: 'eq', value: 'pro' }] },
]

/**
 * The reads of the client about a project, as docs/api/conventions.md#what-clients-rely-on and R2 say. The
 * project has a person with this id and address, who has gone from `page_view` to `signup` in a session, and
 * its context names these two as activation events.
 */
export function clientCommands(project: string, user_id: string, email: string): ClientCommand[] {
  const get = (
    name: string,
    path: string,
    params: Record<string, string>,
    reads: z.ZodType,
  ): ClientCommand => ({
    ...{ name, method: 'GET', path: `${path}?${new URLSearchParams(params)}`, reads },
  })
  const post = (name: string, path: string, fields: object, reads: z.ZodType): ClientCommand => ({
    ...{ name, method: 'POST', path, body: { project, ...fields }, reads },
  })
  const all = { event: null, user_id: null, limit: 100 }
  const week = { project, since: '7d' }
  return [
    get('stats', '/stats', week, stats),
    post('events', '/events', { ...all, since: null }, events),
    post('events --event', '/events', { ...all, event: 'signup', since: '7d' }, events),
    post('events --email', '/events', { ...all, email, since: '30d' }, person),
    post('journey --user-id', '/journey', { user_id, since: null, limit: 100 }, person),
    post('journey --email', '/journey', { email, user_id: null, since: '30d', limit: 100 }, person),
    post('query', '/query', QUERY, query),
    get('properties', '/properties', { project, since: '30d' }, properties),
    get('properties-received', '/properties/received', { ...week, sample: '5000' }, received),
    get('sessions', '/sessions', { ...week, limit: '100' }, sessions),
    get('insights', '/insights', { project, period: '7d' }, insights),
    get('breakdown', '/breakdown', { ...week, property: 'plan', limit: '20' }, breakdown),
    get('pages', '/pages', { project, type: 'entry', limit: '20' }, object({ entry_pages: pages })),
    get('pages --type exit', '/pages', { project, type: 'exit' }, object({ exit_pages: pages })),
    post('paths', '/paths', { ...PATHS, candidate_session_cap: 5_000 }, paths),
    get('sessions-dist', '/sessions/distribution', week, distribution),
    get('heatmap', '/heatmap', week, heatmap),
    post('funnel', '/funnel', { ...FUNNEL, steps: STEPS }, funnel),
    post(
      'funnel --breakdown',
      '/funnel',
      { ...FUNNEL, steps: STEPS, breakdown: 'country', breakdown_limit: 10 },
      funnel.extend({ breakdowns }),
    ),
    post('funnel --from-context', '/funnel', { ...FUNNEL, from_context: true }, funnel),
    get('retention', '/retention', { project, period: 'week', cohorts: '8' }, retention),
    get('live', '/live', { project, window: '60' }, live),
    get('all-sites', '/account/all-sites', { period: '7d', limit: '10' }, allSites),
    get('bot-traffic', '/bot-traffic', { project, period: '7d', limit: '10' }, botTraffic),
    get('bot-traffic --all', '/account/bot-traffic', { period: '7d', limit: '10' }, allBotTraffic),
    get('account-usage', '/account/usage', {}, usage),
  ]
}
