import type { Answer } from '#lambdas/mcp/answer'
import type { QueryReport } from './query-report.ts'
import { count, EVERYBODY, moment, notesOf, range, tableOf } from './words.ts'

/** Bots, what happens now, all projects, and experiments. */
export const serviceReports = {
  async bots(args, { call }) {
    const { project, since: period, tz, limit, category } = args
    const query = { project, period, tz, limit, category, receipt: true }
    const found = await call('botTraffic', { query })
    const { automated_requests: requests, dropped_events: events } = found.summary
    return {
      summary: `${count(requests.current, 'request')} of ${category === undefined ? 'bots' : `the kind ${category}`}, before that ${requests.previous}; ${count(events.current, 'event')} dropped, ${range(found.period)}.`,
      counted:
        'requests of bots to the tracking endpoints, which are in no other report; bots that run no script are not seen',
      totals: { requests: requests.current, dropped_events: events.current },
      tables: [
        tableOf(
          'actors',
          found.actors.map(each => ({ ...each, last_seen_at: moment(each.last_seen_at) })),
          ['actor', 'category', 'purpose', 'requests', 'dropped_events', 'last_seen_at'],
        ),
        tableOf('categories', found.categories, ['category', 'requests', 'dropped_events', 'share_pct']),
        tableOf('purposes of crawlers', found.purposes, [
          'purpose',
          'requests',
          'dropped_events',
          'share_pct',
        ]),
      ],
      ...notesOf(found),
      next: 'check(project) for what arrives from people.',
    }
  },

  async live(args, { call }) {
    const { project, after } = args
    const found = await call('live', { query: { project, after, receipt: true } })
    return {
      summary: `${count(found.active_visitors, 'person', 'people')} in ${count(found.active_sessions, 'session')} in the last ${found.window_seconds} seconds; ${found.events_per_minute} events a minute.`,
      counted: `events that arrived in the last ${found.window_seconds} seconds, of ${EVERYBODY}`,
      totals: {
        cursor: found.cursor,
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
      next: 'query(report="live", after=<cursor>) for what comes next; query(report="totals", since="0d") for today.',
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
        tableOf('series', found.time_series, ['date', 'events'], undefined, 'series'),
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
          tableOf('experiments', experiments, [
            'id',
            'name',
            'status',
            'goal_event',
            'winner',
            'started_at',
            'ended_at',
            'smallest_effect',
            'planned_size',
          ]),
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
      decision_low: results.decision_interval[variant.key]?.[0] ?? null,
      decision_high: results.decision_interval[variant.key]?.[1] ?? null,
    }))
    return {
      summary: `The experiment is ${found.status}; decision: ${results.decision}; ${results.sufficient_data ? 'enough' : 'not enough'} data.`,
      counted: 'people by the variant of their first exposure; conversions at or after it',
      totals: {
        status: found.status,
        decision: results.decision,
        started_at: found.started_at,
        ended_at: found.ended_at,
        first_exposure_at: results.plan.first_exposure_at,
        decides_at: results.plan.decides_at,
        planned_size: results.plan.size,
        smallest_effect: results.plan.smallest_effect,
      },
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
          'decision_low',
          'decision_high',
        ]),
      ],
      warnings: [results.recommendation, results.plan.rule, ...notesOf(found).warnings],
      next: 'manage(action="update_experiment") to pause or complete it.',
    }
  },
} satisfies Record<string, QueryReport>
