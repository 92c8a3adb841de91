import { experimentResults, type MeasuredExperiment } from '#core/experiments/results'
import type { IdentityView } from '#core/identity/identity-view'
import type { Project } from '#core/projects/project'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { events } from '#core/reports/events'
import { breakdownForLinks } from '#core/reports/few-people/lists'
import { funnelForLinks } from '#core/reports/few-people/people'
import { queryForLinks } from '#core/reports/few-people/query'
import { distributionForLinks, pagesForLinks } from '#core/reports/few-people/sessions'
import { type FunnelParams, funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { eventsLookup, journey } from '#core/reports/lookups'
import { pages } from '#core/reports/pages'
import { type PathsParams, paths, pathsForLinks } from '#core/reports/paths/paths'
import { properties } from '#core/reports/properties'
import type { QueryParams } from '#core/reports/query/params'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { replayEvents } from '#core/reports/replay-events'
import type { RetentionParams } from '#core/reports/retention/params'
import { retention } from '#core/reports/retention/retention'
import type { DatedParams } from '#core/reports/run/asked-range'
import {
  type Report,
  type ReportCall,
  runReport as runReportOf,
  type ReportServices as Services,
} from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { sources } from '#core/reports/sources/sources'
import { stats } from '#core/reports/stats'
import { receivedSince } from '#core/scans/verify/count-received'
import { splitEqually } from '#schemas/assignment'
import { CONDITION_OPS, type Condition, SINGLE_OPS } from '#schemas/conditions'
import { NUMERIC_METRICS } from '#schemas/query'
import { PAGE_TYPES } from '#schemas/sessions'
import { SOURCE_GROUPS } from '#schemas/sources'
import { STATS_GROUPS } from '#schemas/stats'
import { NOW } from '#test/support/random-history'
import type { SampleLake } from './sample-lakes.ts'

/** `identity`: the links of the project's users. */
export type ReportServices = Services & { identity?: IdentityView | undefined }

/** Conditions of events, as many operators and kinds of fields as there are. */
const eventConditions: Condition[] = CONDITION_OPS.flatMap(op => [
  { field: 'properties.plan', op, value: valueFor(op, ['pro', '5', '%']) },
  { field: 'properties.session_count', op, value: valueFor(op, [5, 7]) },
  { not: { field: 'properties.path', op, value: valueFor(op, ['/p/1', 'é']) } },
])

/** Each makes a set of sessions or people, of another kind. */
const conditionsOfSets: Condition[] = [
  { session: { field: 'properties.path', op: 'prefix', value: '/p' } },
  {
    person: {
      or: [
        { field: 'country', op: 'eq', value: 'DE' },
        { field: 'event', op: 'eq', value: 'signup' },
      ],
    },
  },
  {
    did: {
      event: 'page_view',
      at_least: 2,
      within: '30d',
      where: { field: 'country', op: 'exists', value: true },
    },
  },
  {
    and: [
      { field: 'channel', op: 'in', value: ['direct', 'referral'] },
      { not: { session: { person: { field: 'is_bounce', op: 'eq', value: true } } } },
    ],
  },
  {
    or: [
      { field: 'duration', op: 'gt', value: 1 },
      { field: 'is_new', op: 'eq', value: true },
    ],
  },
]

const conditions: Condition[] = [
  ...eventConditions,
  ...conditionsOfSets,
  ...['channel', 'source', 'referrer_host', 'entry_page', 'exit_page'].flatMap((field): Condition[] => [
    { field, op: 'neq', value: 'direct' },
    { not: { field, op: 'contains', value: 'p' } },
  ]),
  { field: 'hour', op: 'lt', value: 12 },
  { field: 'weekday', op: 'in', value: [0, 6] },
]

function runReport<Params extends DatedParams, Body>(
  report: Report<Params, Body>,
  { identity, ...services }: ReportServices,
  call: ReportCall<Params>,
): Promise<Body> {
  return runReportOf(report, services, { ...call, identity })
}

/** Pages of events to read for one filter. All further pages have the same statements with another cursor. */
const PAGES = 3

/**
 * Runs every report of one project, with all parameters that change the text of a statement. Add each new
 * report here:
 * `npm run test:trino` fails if a piece of SQL has never been used.
 */
export async function runAllReports(
  services: ReportServices,
  project: Pick<Project, 'id' | 'name' | 'bucket' | 'created_at' | 'has_event_ids'>,
  { since, limit, filter }: Pick<SampleLake, 'since' | 'limit' | 'filter'>,
): Promise<void> {
  // The report counts whole dates.
  for (const start of new Set([...since.map(each => each.slice(0, 10)), '1d', '400d'])) {
    for (const groupBy of STATS_GROUPS) {
      await runReport(stats, services, { project, query: { since: start, groupBy } })
    }
  }
  const allFilters = { event: 'page_view', user_id: "o'brien", session_id: 's1' }
  for (const filters of [{}, filter, allFilters, { user_id: 'a\u0000b' }, { event: '\u{1F600}' }]) {
    let before: string | undefined
    for (let page = 0; page < PAGES; page++) {
      const { next_before } = await runReport(events, services, {
        project,
        query: { since: '60d', limit, before, ...filters },
      })
      if (next_before === null) break
      before = next_before
    }
  }
  for (const query of [{ until: '1d' }, { until: '1d', tz: 'Europe/Berlin' }]) {
    await runReport(events, services, { project, query: { since: '60d', limit, ...query } })
    const person = { since: '60d', user_id: "o'brien", order: 'asc' as const, limit: 1, ...query }
    const { next_before } = await runReport(journey, services, { project, query: person })
    if (next_before !== null) {
      await runReport(journey, services, { project, query: { ...person, before: next_before } })
    }
  }
  // A user without events in the range is searched in all that is stored.
  const nobody = { user_id: 'user 3', event: 'no such event', since: '1d', limit: 5 }
  await runReport(eventsLookup, services, { project, body: nobody })
  const replay = { session_id: 's1', from: NOW - 30 * 86_400_000, to: NOW }
  await runReport(replayEvents, services, { project, body: replay })
  await runSessionReports(services, project)
  await runPropertyReports(services, project)
  for (const body of queries)
    await runReport(query, services, { project, body: { ...queryDefaults, ...body } })
  await runReport(
    query,
    { ...services, exactValues: 0 },
    {
      project,
      body: { ...queryDefaults, metrics: ROUNDED, group_by: ['country'] },
    },
  )
  for (const body of funnels)
    await runReport(funnel, services, { project, body: { ...funnelDefaults, ...body } })
  for (const body of pathQueries) await runReport(paths, services, { project, body })
  for (const body of retentions) await runReport(retention, services, { project, query: body })
  // What share links ask beside the statements of other reports.
  const dated = { since: '60d' }
  await runReport(pagesForLinks, services, { project, query: { ...dated, type: 'both', limit: 10 } })
  await runReport(distributionForLinks, services, { project, query: dated })
  for (const body of linkQueries) {
    await runReport(queryForLinks, services, { project, body: { ...queryDefaults, ...body } })
  }
  for (const property of ['plan', 'country']) {
    const query = { ...dated, property, event: 'page_view', limit: 5 }
    await runReport(breakdownForLinks, services, { project, query })
  }
  const steps = ['path', 'country'].map(property => {
    const filters = ['neq', 'prefix'].map(op => ({ property, op, value: '/p' }))
    return { event: 'page_view', filters }
  })
  await runReport(funnelForLinks, services, { project, body: { ...funnelDefaults, steps } })
  const [ways] = pathQueries
  if (ways !== undefined) await runReport(pathsForLinks, services, { project, body: ways })
  for (const experiment of experiments) {
    await runReport(experimentResults, services, { project, query: { experiment } })
  }
  for (const plan of verifiedPlans) {
    await runReport(receivedSince, services, {
      project,
      query: { startedAt: Date.parse(project.created_at), ...plan },
    })
  }
}

type TestProject = Parameters<typeof runAllReports>[1]

async function runSessionReports(services: ReportServices, project: TestProject): Promise<void> {
  for (const dated of [{ since: '60d' }, { since: '7d', tz: 'Europe/Berlin' }]) {
    for (const filter of [
      {},
      { limit: 1 },
      { user_id: "o'brien" },
      { is_bounce: 1 },
      { user_id: 'user 3', is_bounce: 0 },
      { has_replay: true },
    ]) {
      await runReport(sessions, services, { project, query: { ...dated, limit: 20, ...filter } })
    }
    const page = { ...dated, until: '1d', limit: 1 }
    const { next_before } = await runReport(sessions, services, { project, query: page })
    if (next_before !== null) {
      await runReport(sessions, services, { project, query: { ...page, before: next_before } })
    }
    await runReport(sessionDistribution, services, { project, query: dated })
    await runReport(heatmap, services, { project, query: dated })
    for (const type of PAGE_TYPES) {
      await runReport(pages, services, { project, query: { ...dated, type, limit: 3 } })
      await runReport(sources, services, {
        project,
        query: { ...dated, by: 'source', goal: 'buy', limit: 3 },
      })
    }
  }
  for (const tz of [undefined, 'America/New_York']) {
    await runReport(insights, services, { project, query: { period: '30d', tz } })
    // The previous period cuts a date of a segment.
    await runReport(stats, services, {
      project,
      query: { since: '20d', groupBy: 'day', tz, compare: 'previous' },
    })
    await runReport(stats, services, { project, query: { since: '60d', groupBy: 'hour', tz } })
    await runReport(stats, services, {
      project,
      query: { since: '7d', groupBy: 'day', tz, compare: 'previous' },
    })
  }
}

/** Every kind of condition in two reports, and every report with a condition of each kind of set. */
export async function runChosenReports(services: ReportServices, project: TestProject): Promise<void> {
  const since = '60d'
  for (const where of conditions) {
    await runReport(stats, services, { project, query: { since, groupBy: 'day', where } })
    const metrics = ['event_count', 'unique_users', 'bounce_rate']
    const body = { ...queryDefaults, metrics, group_by: ['country'], where }
    await runReport(query, services, { project, body })
  }
  for (const where of conditionsOfSets) {
    const dated = { since, where }
    const zoned = { since: '20d', tz: 'Europe/Berlin', where }
    for (const groupBy of STATS_GROUPS)
      await runReport(stats, services, { project, query: { ...zoned, groupBy, compare: 'previous' } })
    const byCountry = { metrics: ['event_count', 'unique_users'], group_by: ['country'] }
    for (const count_mode of ['raw', 'session_then_user'] as const) {
      const body = { ...queryDefaults, ...byCountry, count_mode, where }
      await runReport(query, services, { project, body })
    }
    for (const by of SOURCE_GROUPS)
      await runReport(sources, services, { project, query: { ...dated, by, goal: 'signup', limit: 3 } })
    for (const type of PAGE_TYPES)
      await runReport(pages, services, { project, query: { ...dated, type, limit: 3 } })
    for (const by of ['country', 'channel', 'is_bounce', 'entry_page', 'plan']) {
      const query = { ...dated, goal: 'signup', by, min_users: 1, limit: 3 }
      await runReport(conversion, services, { project, query })
    }
    for (const event of [undefined, 'page_view']) {
      const query = { period: 'week' as const, cohorts: 4, event, where }
      await runReport(retention, services, { project, query })
      await runReport(breakdown, services, {
        project,
        query: { ...dated, property: 'plan', event, limit: 3 },
      })
    }
    for (const count_by of ['user_id', 'session_id'] as const) {
      // With both, Trino would need more stages than it plans (aws/athena-failure.ts).
      const breakdown = 'and' in where ? 'country' : 'channel'
      const body = { ...funnelDefaults, count_by, breakdown, where }
      await runReport(funnel, services, { project, body })
    }
    await runReport(paths, services, { project, body: { ...pathDefaults, where } })
    await runReport(heatmap, services, { project, query: zoned })
    await runReport(sessionDistribution, services, { project, query: dated })
    await runReport(sessions, services, { project, query: { ...zoned, limit: 2 } })
    await runReport(events, services, { project, query: { ...dated, limit: 2 } })
    await runReport(properties, services, { project, query: dated })
  }
}

async function runPropertyReports(services: ReportServices, project: TestProject): Promise<void> {
  for (const dated of [{ since: '60d' }, { since: '7d', tz: 'Europe/Berlin' }]) {
    for (const property of ['path', 'session_count', 'plan', 'country']) {
      for (const event of [undefined, "o'brien"]) {
        await runReport(breakdown, services, { project, query: { ...dated, property, event, limit: 5 } })
      }
    }
    for (const by of ['country', 'source', 'entry_page', 'plan', 'session_count']) {
      for (const from of [undefined, 'page_view']) {
        const query = { ...dated, goal: 'signup', from, by, min_users: 1, limit: 3 }
        await runReport(conversion, services, { project, query })
      }
    }
    await runReport(properties, services, { project, query: dated })
    await runReport(receivedProperties, services, { project, query: { ...dated, sample: 100 } })
  }
  // The range cuts a date of a segment, so the rollup does not tell how many events its dates have.
  const cut = { since: '20d', tz: 'Europe/Berlin', sample: 100 }
  await runReport(receivedProperties, services, { project, query: cut })
}

export const queryDefaults: QueryParams = {
  metrics: ['event_count'],
  group_by: [],
  filters: [],
  count_mode: 'session_then_user',
  order: 'desc',
  limit: 10,
  date_from: '60d',
}

/** Values that SQL, patterns and numbers could read differently. */
const FILTER_VALUES = ['', 'é', '%', '\\', "o'brien", '5', 5, -0.5, true] as const

const ROUNDED = ['p50', 'p95'].map(statistic => `${statistic}(properties.session_count)`)

const queries: Partial<QueryParams>[] = [
  // Nothing has these values, so the read looks for the ones that may be meant.
  { filters: [{ field: 'properties.plan', op: 'eq', value: 'no such plan' }] },
  { filters: [{ field: 'country', op: 'eq', value: 'XX' }] },
  {
    metrics: [
      'event_count',
      'unique_users',
      'session_count',
      'bounce_rate',
      'single_page_rate',
      'avg_duration',
    ],
  },
  // From the rollup of sessions.
  { metrics: ['bounce_rate', 'event_count'], group_by: ['date'], limit: 2 },
  { metrics: ['event_count', 'bounce_rate'], group_by: ['date', 'country'], count_mode: 'raw', order: 'asc' },
  { metrics: ['session_count', 'event_count'], group_by: ['date'], count_mode: 'raw' },
  { metrics: ['session_count', 'unique_users'] },
  { group_by: ['event', 'user_id', 'session_id'], limit: 3, order_by: 'event' },
  // Fields of the session and of the time, which join the sessions to the events.
  { group_by: ['channel', 'hour'], metrics: ['event_count', 'bounce_rate'], limit: 3, tz: 'Europe/Berlin' },
  { group_by: ['source', 'referrer_host', 'entry_page', 'is_bounce'], metrics: ['unique_users'] },
  {
    group_by: ['weekday', 'exit_page'],
    metrics: ['unique(properties.plan)', 'event_count'],
    count_mode: 'raw',
  },
  {
    group_by: ['country'],
    metrics: [
      ...['rate', 'session_rate', 'people', 'sessions'].map(
        name => `${name}({"field":"event","op":"eq","value":"signup"})`,
      ),
      'rate({"not":{"person":{"field":"is_new","op":"eq","value":true}}})',
      'session_rate({"session":{"field":"is_bounce","op":"eq","value":false}})',
    ],
  },
  { metrics: ['unique_users'], group_by: ['properties.path', 'properties.plan'], limit: 2 },
  { metrics: ['sum(properties.session_count)', 'event_count'], group_by: ['properties.path'], limit: 2 },
  { metrics: ['min(properties.session_count)', 'event_count'], group_by: ['country'], count_mode: 'raw' },
  { metrics: ['p50(properties.session_count)'], group_by: ['event'] },
  { metrics: ['p50(properties.session_count)', 'p95(properties.plan)'], group_by: ['country'] },
  // Values of several currencies.
  { metrics: ['sum(value)', 'p50(value)', 'unique_users'], group_by: ['properties.path'], limit: 2 },
  // The largest groups, which are found by their events where scans are free.
  { metrics: ['unique_users', 'event_count'], group_by: ['properties.path'], count_mode: 'raw', limit: 3 },
  {
    metrics: NUMERIC_METRICS.map(statistic => `${statistic}(properties.session_count)`),
    group_by: ['properties.session_count'],
  },
  { metrics: ['sum(properties.plan)', 'event_count'], group_by: ['date'], tz: 'Europe/Berlin', limit: 3 },
  { group_by: ['event'], date_from: '20d', date_to: '2026-11-10', compare: 'previous' },
  ...SINGLE_OPS.flatMap(op =>
    ['event', 'properties.plan', 'properties.path', 'properties.session_count'].map((field, i) => ({
      filters: [
        { field, op, value: FILTER_VALUES[(i + SINGLE_OPS.indexOf(op)) % FILTER_VALUES.length] },
        { field: 'timestamp', op, value: isOfText(op) ? '1' : '2026-11-01T00:00:00Z' },
        { field: 'date', op, value: isOfText(op) ? '2026' : '2026-11-01' },
      ].slice(0, i === 0 ? 3 : 1),
    })),
  ),
  ...['a.b', '/~1"', '', '\\'].map(key => {
    const field = `properties[${JSON.stringify(key)}]`
    return {
      metrics: ['event_count', `sum(${field})`, `unique(${field})`],
      group_by: [field],
      filters: [{ field, op: 'neq', value: 5 }],
    }
  }),
  ...FILTER_VALUES.map(value => ({
    filters: [{ field: 'properties.plan', op: 'eq', value }],
    group_by: ['properties.plan'],
  })),
]

/** Whether an operator looks for a part of a text. */
function isOfText(op: (typeof SINGLE_OPS)[number]): boolean {
  return ['contains', 'prefix', 'suffix', 'glob'].includes(op)
}

/** A value that an operator takes. */
function valueFor(op: (typeof CONDITION_OPS)[number], values: readonly (string | number | boolean)[]) {
  if (op === 'exists') return true
  return op === 'in' || op === 'not_in' ? values : values[0]
}

/** Questions of share links: each has statements that judge whether it is about few people. */
const linkQueries: Partial<QueryParams>[] = [
  ...[['properties.plan'], ['date', 'country'], ['date'], []].flatMap(group_by =>
    ['plan', 'path', 'session_count'].map((_, i, keys) => ({
      metrics: ['event_count', 'sum(properties.session_count)'],
      filters: keys.slice(0, i).map(key => ({ field: `properties.${key}`, op: 'neq', value: '/p/1' })),
      group_by,
      date_to: '2026-11-10',
    })),
  ),
  {
    metrics: ['avg(properties.session_count)', 'sum(properties.plan)'],
    filters: [
      { field: 'date', op: 'gt', value: '2026-10-01' },
      { field: 'event', op: 'neq', value: 'signup' },
      { field: 'country', op: 'neq', value: 'XX' },
    ],
    tz: 'Europe/Berlin',
    compare: 'previous',
  },
]

export const funnelDefaults: FunnelParams = {
  steps: [{ event: 'page_view' }, { event: 'signup' }],
  count_by: 'user_id',
  conversion_window_hours: 168,
  breakdown_limit: 10,
  since: '60d',
}

const funnels: Partial<FunnelParams>[] = [
  {},
  { count_by: 'session_id', breakdown: 'country', since: '7d', tz: 'Europe/Berlin' },
  { steps: Array(8).fill({ event: 'page_view' }), breakdown: 'plan' },
  { people_of_step: 2 },
  { breakdown: 'channel' },
  { count_by: 'session_id', breakdown: 'source', tz: 'Europe/Berlin' },
  { count_by: 'session_id', people_of_step: 1, people_dropped: true, breakdown: 'country' },
  { steps: [{ event: 'event 3' }, { event: 'page_view' }, { event: 'event 7' }], breakdown: 'path' },
  ...CONDITION_OPS.map(op => ({
    steps: [
      {
        event: 'page_view',
        filters: [{ property: 'session_count', op, value: valueFor(op, [5, '7', true]) }],
      },
      { event: 'page_view', filters: [{ property: 'path', op, value: valueFor(op, ['/p', '/p/1', '%']) }] },
    ],
    breakdown: 'session_count',
  })),
]

export const pathDefaults: PathsParams = {
  goal_event: 'signup',
  since: '90d',
  max_steps: 5,
  entry_limit: 20,
  path_limit: 10,
  candidate_session_cap: 10_000,
}

const pathQueries: PathsParams[] = [
  pathDefaults,
  { ...pathDefaults, goal_event: 'page_view', max_steps: 1, entry_limit: 2, candidate_session_cap: 3 },
  { ...pathDefaults, goal_event: "o'brien", since: '7d', tz: 'Europe/Berlin' },
  { ...pathDefaults, candidate_session_cap: 1 },
]

const ofPageViews = { period: 'month', cohorts: 3, event: 'page_view', tz: 'Europe/Berlin' } as const

const retentions: RetentionParams[] = [
  { period: 'week', cohorts: 8 },
  { period: 'day', cohorts: 30, since: '20d', tz: 'Europe/Berlin' },
  { period: 'month', cohorts: 3, event: 'page_view' },
  { period: 'week', cohorts: 4, event: 'page_view', returning_event: "o'brien" },
  { period: 'week', cohorts: 4, returning_event: 'signup' },
  // The people of cells, named by ids of events and by keys of the rollup.
  { period: 'week', cohorts: 8, people_of_cohort: '2026-09-28' },
  { period: 'month', cohorts: 3, people_of_cohort: '2026-09-01', people_of_offset: 1 },
  { period: 'month', cohorts: 3, people_of_cohort: '2026-09-01', people_of_offset: 1, people_dropped: true },
  { ...ofPageViews, people_of_cohort: '2026-10-01', people_of_offset: 1 },
  { ...ofPageViews, people_of_cohort: '2026-10-01', people_of_offset: 1, people_dropped: true },
]

const experiments: MeasuredExperiment[] = [
  {
    name: 'cta',
    variants: splitEqually(['control', 'blue']),
    goal_event: 'page_view',
    created_at: '2026-09-20T00:00:00.000Z',
    ...{ completed_at: null, status: 'active', smallest_effect: 0.2, planned_size: null },
  },
  {
    name: 'cta',
    variants: splitEqually(['blue', 'red', 'control', '7']),
    goal_event: "o'brien",
    created_at: '2026-10-30T09:30:00.001Z',
    completed_at: '2026-11-17T18:00:00.000Z',
    ...{ status: 'completed', smallest_effect: null, planned_size: 500 },
  },
]

/** Events and properties of a website analysis that are looked for. */
const verifiedPlans = [
  { planned: ['signup'], properties: [] },
  { planned: ['page_view', "o'brien", 'event 3'], properties: ['plan', 'session_count', 'path', 'no_such'] },
]
