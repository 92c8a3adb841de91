import type { Answer } from '#lambdas/mcp/answer'
import type { ToolContext } from '#lambdas/mcp/tool'
import { count, EVERYBODY, moment, notesOf, percent, range, tableOf } from './words.ts'

export const reportNames = [
  'totals',
  'metrics',
  'pages',
  'sessions',
  'durations',
  'hours',
  'bots',
  'live',
  'all_projects',
  'experiments',
] as const

type Args = {
  project?: string | undefined
  metrics?: string[] | undefined
  group_by?: string[] | undefined
  filters?: { field: string; op: string; value: unknown }[] | undefined
  count_mode?: string | undefined
  since?: string | undefined
  until?: string | undefined
  tz?: string | undefined
  compare?: boolean | undefined
  interval?: string | undefined
  order_by?: string | undefined
  order?: string | undefined
  limit?: number | undefined
  experiment?: string | undefined
}
type Report = (args: Args, context: ToolContext) => Promise<Answer>

/** The fields that every dated report has. */
const dated = ({ project, since, tz }: Args) => ({ project, since, tz, receipt: true })
/** The reports of the tool `query`: which row answers, and how its answer is told. */
export const reports: Record<(typeof reportNames)[number], Report> = {
  async totals(args, { call }) {
    const { compare, interval } = args
    const found = await call('stats', {
      query: { ...dated(args), groupBy: interval, compare: compare ? 'previous' : undefined },
    })
    const { totals, sessions, changes } = found
    return {
      summary: `${count(totals.unique_users, 'person', 'people')}, ${count(totals.total_events, 'event')}, ${count(sessions.total_sessions, 'session')} from ${range(found.period)}; bounce rate ${percent(sessions.bounce_rate)}.`,
      counted: EVERYBODY,
      totals: { ...totals, ...sessions },
      tables: [
        ...(changes === undefined ? [] : [changesTable(changes)]),
        tableOf('series', found.timeSeries, ['bucket', 'unique_users', 'total_events']),
        tableOf('top events', found.events, ['event', 'count', 'unique_users']),
        tableOf('countries', found.countries, ['country', 'count', 'unique_users']),
      ],
      ...notesOf(found),
      next: 'query(metrics, group_by) for any split; changes for what moved.',
    }
  },

  async metrics(args, { call }) {
    const {
      project,
      metrics = ['event_count', 'unique_users'],
      group_by = [],
      filters,
      since,
      until,
      tz,
      compare,
    } = args
    const { count_mode = 'raw', order_by, order, limit } = args
    const found = await call('query', {
      body: {
        ...{
          project,
          metrics,
          group_by,
          filters,
          date_from: since,
          date_to: until,
          tz,
          count_mode,
          order_by,
          order,
          limit,
        },
        compare: compare ? 'previous' : undefined,
        receipt: true,
      },
    })
    const columns = [...group_by, ...metrics]
    const [only] = found.rows
    const isOne = group_by.length === 0 && only !== undefined
    return {
      summary: isOne
        ? `${metrics.map(metric => `${metric} = ${only[metric]}`).join(', ')} from ${range(found.period)}.`
        : `${count(found.total_rows ?? found.count, 'group')} from ${range(found.period)}.`,
      counted: `${filters === undefined ? 'all events' : `events that match ${count(filters.length, 'filter')}`} of ${EVERYBODY}; event_count is ${count_mode === 'raw' ? 'events' : 'visits'}`,
      totals: isOne
        ? Object.fromEntries(metrics.map(metric => [metric, only[metric] as number]))
        : { groups: found.total_rows ?? found.count },
      tables: [
        tableOf('rows', found.rows, columns, found.total_rows),
        ...(found.previous === undefined
          ? []
          : [
              tableOf(
                `rows of the period before, ${range(found.previous.period)}`,
                found.previous.rows,
                columns,
                found.previous.total_rows,
              ),
            ]),
      ],
      ...notesOf(found),
      next: 'people(project, filters) for who is behind a row.',
    }
  },

  async pages(args, { call }) {
    const found = await call('pages', { query: { ...dated(args), type: 'both', limit: args.limit } })
    const columns = ['page', 'sessions', 'bounces', 'bounce_rate', 'avg_duration', 'avg_events'] as const
    const { entry_pages = [], exit_pages = [] } = found
    return {
      summary: `Sessions began on ${count(entry_pages.length, 'page')} and ended on ${count(exit_pages.length, 'page')}, ${range(found.period)}.`,
      counted: `sessions that start in the range, of ${EVERYBODY}; durations in ms`,
      totals: { entry_pages: entry_pages.length, exit_pages: exit_pages.length },
      tables: [tableOf('entry pages', entry_pages, columns), tableOf('exit pages', exit_pages, columns)],
      ...notesOf(found),
      next: 'journeys(kind="paths", goal=…) for what follows a page.',
    }
  },

  async sessions(args, { call }) {
    const found = await call('sessions', {
      query: { ...dated(args), until: args.until, limit: args.limit ?? 50 },
    })
    const rows = (found.sessions as Record<string, unknown>[]).map(
      (row): Record<string, unknown> => ({
        ...row,
        start_time: moment(row.start_time),
      }),
    )
    return {
      summary: `${count(rows.length, 'session')} shown, newest first, ${range(found.period)}.`,
      counted: `sessions that start in the range, of ${EVERYBODY}; durations in ms`,
      totals: { sessions: found.total_rows ?? rows.length },
      tables: [
        tableOf(
          'sessions',
          rows,
          [
            'session_id',
            'user_id',
            'start_time',
            'duration',
            'entry_page',
            'exit_page',
            'event_count',
            'is_bounce',
          ],
          found.total_rows,
        ),
      ],
      ...notesOf(found),
      next: 'people(project, user_id=…) for the way of one person.',
    }
  },

  async durations(args, { call }) {
    const found = await call('sessionDistribution', { query: dated(args) })
    return {
      summary: `The median session is in ${found.median_bucket ?? 'no bucket'}; ${found.engaged_pct}% last 30 seconds or more, ${range(found.period)}.`,
      counted: `sessions that start in the range, of ${EVERYBODY}`,
      totals: { median_bucket: found.median_bucket, engaged_pct: found.engaged_pct },
      tables: [
        tableOf('durations', found.distribution, ['bucket', 'sessions', 'bounces', 'avg_events', 'pct']),
      ],
      ...notesOf(found),
      next: 'query(report="pages") for where short sessions begin.',
    }
  },

  async hours(args, { call }) {
    const found = await call('heatmap', { query: dated(args) })
    const { heatmap = [], peak } = found
    return {
      summary: `The busiest hour of the week is ${peak ? `${peak.day_name} ${peak.hour}:00 with ${count(peak.events, 'event')}` : 'unknown'}, ${range(found.period)}.`,
      counted: `all events of ${EVERYBODY}`,
      totals: { busiest_day: found.busiest_day ?? null, busiest_hour: found.busiest_hour ?? null },
      tables: [
        tableOf(
          'hours',
          heatmap.toSorted((a, b) => b.events - a.events),
          ['day_name', 'hour', 'events', 'users'],
        ),
      ],
      ...notesOf(found),
      next: 'query(report="totals", interval="hour").',
    }
  },

  async bots(args, { call }) {
    const { project, since: period, tz, limit } = args
    const found = await call('botTraffic', { query: { project, period, tz, limit, receipt: true } })
    const { automated_requests: requests, dropped_events: events } = found.summary
    return {
      summary: `${count(requests.current, 'request')} of bots, before that ${requests.previous}; ${count(events.current, 'event')} dropped, ${range(found.period)}.`,
      counted: 'requests of bots, which are in no other report',
      totals: { requests: requests.current, dropped_events: events.current },
      tables: [
        tableOf('actors', found.actors, ['actor', 'category', 'requests', 'dropped_events', 'last_seen_at']),
        tableOf('categories', found.categories, ['category', 'requests', 'dropped_events', 'share_pct']),
      ],
      ...notesOf(found),
      next: 'check(project) for what arrives from people.',
    }
  },

  async live(args, { call }) {
    const found = await call('live', { query: { project: args.project, receipt: true } })
    return {
      summary: `${count(found.active_visitors, 'person', 'people')} in ${count(found.active_sessions, 'session')} in the last ${found.window_seconds} seconds; ${found.events_per_minute} events a minute.`,
      counted: `events that arrived in the last ${found.window_seconds} seconds, of ${EVERYBODY}`,
      totals: {
        active_visitors: found.active_visitors,
        active_sessions: found.active_sessions,
        events_per_minute: found.events_per_minute,
      },
      tables: [
        tableOf('pages', found.top_pages, ['path', 'visitors']),
        tableOf('events', found.top_events, ['event', 'count']),
        tableOf('countries', found.countries, ['country', 'visitors', 'sessions', 'events']),
        tableOf(
          'newest events',
          found.recent_events.map(each => ({ ...each, timestamp: moment(each.timestamp) })),
          ['timestamp', 'event', 'user_id', 'session_id', 'country'],
        ),
      ],
      ...notesOf(found),
      next: 'query(report="totals", since="0d") for today.',
    }
  },

  async all_projects(args, { call }) {
    const { since: period, tz, limit } = args
    const found = await call('allSites', { query: { period, tz, limit, receipt: true } })
    const { summary } = found
    return {
      summary: `${count(summary.total_events.current, 'event')} in ${count(summary.active_projects, 'active project')} of ${summary.total_projects}, before that ${summary.total_events.previous}, ${range(found.period)}.`,
      counted: `all projects of the account, ${EVERYBODY}`,
      totals: {
        total_events: summary.total_events.current,
        previous: summary.total_events.previous,
        active_projects: summary.active_projects,
        total_projects: summary.total_projects,
      },
      tables: [
        tableOf(
          'projects',
          found.projects,
          ['name', 'id', 'events', 'share_pct', 'last_active_date'],
          found.projects.length + found.remaining_projects,
        ),
        tableOf('series', found.time_series, ['date', 'events']),
      ],
      ...notesOf(found),
      next: 'overview(project=<name>).',
    }
  },

  async experiments({ project, experiment }, { call }): Promise<Answer> {
    if (experiment === undefined) {
      const { experiments } = await call('listExperiments', { query: { project } })
      return {
        summary: `${count(experiments.length, 'experiment')}, newest first.`,
        counted: 'experiments of the project, in every state',
        totals: { experiments: experiments.length },
        tables: [
          tableOf('experiments', experiments, ['id', 'name', 'status', 'goal_event', 'winner', 'created_at']),
        ],
        next: 'query(report="experiments", experiment=<id>) for results.',
      }
    }
    const found = await call('readExperiment', { params: { id: experiment } })
    const { results } = found
    const rows = results.variants.map(variant => ({
      ...variant,
      probability_best: results.probability_best[variant.key] ?? null,
      lift: results.lift[variant.key] ?? null,
      lift_low: results.lift_interval[variant.key]?.[0] ?? null,
      lift_high: results.lift_interval[variant.key]?.[1] ?? null,
    }))
    return {
      summary: `The experiment is ${found.status}; decision: ${results.decision}; ${results.sufficient_data ? 'enough' : 'not enough'} data.`,
      counted: 'people by the variant of their first exposure; conversions at or after it',
      totals: { status: found.status, decision: results.decision },
      tables: [
        tableOf('variants', rows, [
          'key',
          'exposures',
          'unique_users',
          'conversions',
          'conversion_rate',
          'probability_best',
          'lift',
          'lift_low',
          'lift_high',
        ]),
      ],
      warnings: [results.recommendation],
      next: 'manage(action="update_experiment") to pause or complete it.',
    }
  },
}

type Delta = { current: number; previous: number; change: number; change_pct: number | null }

export function changesTable(changes: Record<string, Delta>) {
  const rows = Object.entries(changes).map(([metric, delta]) => ({ metric, ...delta }))
  return tableOf('against the period before', rows, ['metric', 'current', 'previous', 'change', 'change_pct'])
}
