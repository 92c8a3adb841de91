import { beforeOf, changesTable } from './changes-table.ts'
import { comparisonOf, dated, type QueryReport } from './query-report.ts'
import { count, EVERYBODY, moment, notesOf, percent, range, tableOf } from './words.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** What people did in one project. */
export const trafficReports = {
  async totals(args, { call }) {
    const { interval } = args
    const found = await call('stats', {
      query: { ...dated(args), groupBy: interval, compare: comparisonOf(args) },
    })
    const { totals, sessions, changes } = found
    return {
      summary: `${count(totals.unique_users, 'person', 'people')}, ${count(totals.total_events, 'event')}, ${count(sessions.total_sessions, 'session')} from ${range(found.period)}; bounce rate ${percent(sessions.bounce_rate)}.`,
      counted: EVERYBODY,
      totals: { ...totals, ...sessions },
      tables: [
        ...(changes === undefined ? [] : [changesTable(changes, beforeOf(found))]),
        tableOf('series', found.timeSeries, ['bucket', 'unique_users', 'total_events'], undefined, 'series'),
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
      where,
    } = args
    const { count_mode = 'raw', order_by, order, limit } = args
    const asked = { project, metrics, filters, since, until, tz, where, count_mode }
    const found = await call('query', {
      body: {
        ...{ ...asked, group_by, order_by, order, limit, receipt: true },
        compare: comparisonOf(args),
      },
    })
    // Groups do not add up: one person may be in several, and a limit may have cut some.
    const whole =
      group_by.length === 0 ? found : await call('query', { body: { ...asked, group_by: [], receipt: true } })
    const totals = Object.fromEntries(
      metrics.map(metric => [metric, (whole.rows[0]?.[metric] ?? null) as number | null]),
    )
    const inAll = metrics.map(metric => `${metric} = ${totals[metric]}`).join(', ')
    const columnsOf = (rows: readonly Row[]) => [
      ...[...group_by, ...metrics],
      ...(rows.some(isRest) ? ['other'] : []),
    ]
    const isOne = group_by.length === 0
    const isByDate = group_by.length === 1 && group_by[0] === 'date'
    return {
      summary: isOne
        ? `${inAll} from ${range(found.period)}.`
        : `${count(found.total_rows ?? found.count, 'group')} from ${range(found.period)}; in all ${inAll}.`,
      counted: `${filters === undefined ? 'all events' : `events that match ${count(filters.length, 'filter')}`} of ${EVERYBODY}; event_count is ${count_mode === 'raw' ? 'events' : 'visits'}${found.rows.some(isRest) ? '; the row with other=true holds the groups that are not shown' : ''}`,
      totals: { ...(!isOne && { groups: found.total_rows ?? found.count }), ...totals },
      tables: [
        tableOf('rows', found.rows, columnsOf(found.rows), found.total_rows, isByDate ? 'series' : undefined),
        ...(found.by_currency === undefined
          ? []
          : [
              tableOf(
                'by currency',
                found.by_currency,
                [...group_by, 'currency', ...metrics].filter(
                  column => column in (found.by_currency?.[0] ?? {}),
                ),
              ),
            ]),
        ...(found.previous === undefined
          ? []
          : [
              tableOf(
                `rows of the compared range, ${range(found.previous.period)}`,
                found.previous.rows,
                columnsOf(found.previous.rows),
                found.previous.total_rows,
              ),
            ]),
      ],
      ...notesOf(found, ...(isOne ? [] : [{ receipt: whole.receipt }])),
      next: 'people(project, filters) for who is behind a row.',
    }
  },

  async pages(args, { call }) {
    const found = await call('pages', { query: { ...dated(args), type: 'both', limit: args.limit } })
    const columns = ['page', 'sessions', 'bounces', 'bounce_rate', 'avg_duration', 'avg_events'] as const
    const { entry_pages = [], exit_pages = [], total_rows } = found
    const totals: Record<string, number> =
      total_rows === undefined
        ? { entry_pages: entry_pages.length, exit_pages: exit_pages.length }
        : { rows_of_both_lists: total_rows }
    return {
      summary:
        total_rows === undefined
          ? `Sessions began on ${count(entry_pages.length, 'page')} and ended on ${count(exit_pages.length, 'page')}, ${range(found.period)}.`
          : `The ${count(entry_pages.length, 'most frequent entry page')} and ${count(exit_pages.length, 'exit page')} of ${total_rows} in both lists, ${range(found.period)}.`,
      counted: `sessions that start in the range, of ${EVERYBODY}; durations in ms`,
      totals,
      tables: [tableOf('entry pages', entry_pages, columns), tableOf('exit pages', exit_pages, columns)],
      ...notesOf(found),
      next: 'journeys(kind="paths", goal=…) for what follows a page.',
    }
  },

  async sessions(args, { call }) {
    const found = await call('sessions', {
      query: { ...dated(args), limit: args.limit ?? 50, has_replay: args.has_replay },
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
            'replay_count',
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
        {
          name: 'events by hour of the day',
          columns: ['day', ...HOURS.map(String)],
          rows: [...Map.groupBy(heatmap, ({ day_name }) => day_name)].map(([day, cells]) => [
            day,
            ...HOURS.map(hour => cells.find(cell => cell.hour === hour)?.events ?? 0),
          ]),
        },
      ],
      ...notesOf(found),
      next: 'query(report="totals", interval="hour").',
    }
  },
} satisfies Record<string, QueryReport>

type Row = Readonly<Record<string, unknown>>

/**
 * Whether the row holds all groups that are not shown. Its group fields are null, like those of events
 * without the property.
 */
function isRest(row: Row): boolean {
  return row.other === true
}
