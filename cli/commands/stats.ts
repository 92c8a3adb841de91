import { COMPARE, days, projectRead, QUESTION } from '#cli/command'
import type { Block } from '#cli/print/blocks'
import { deltaTable } from '#cli/print/deltas'
import { formatted } from '#cli/print/format'
import { reportHeading } from '#cli/print/periods'

export const stats = projectRead<'GET /stats'>({
  name: 'stats',
  endpoint: 'GET /stats',
  summary: 'Totals, events, a bar for each day, countries and the usage of the month',
  flags: [
    days(7),
    ...QUESTION,
    {
      flags: '--group-by <interval>',
      parameter: 'groupBy',
      choices: ['hour', 'day', 'week', 'month'],
      help: 'length of a bar (default: day)',
    },
    COMPARE,
  ],
  example: '--demo stats demo --days 14',
  print(answer, { response }) {
    const { totals, sessions, changes } = answer
    return [
      reportHeading(answer.project, answer.period),
      {
        kind: 'facts',
        facts: [
          ['Events', totals.total_events, 'count'],
          ['Visitors', totals.unique_users, 'count'],
          ['Sessions', sessions.total_sessions, 'count'],
          ['Bounce rate', sessions.bounce_rate, 'rate'],
          ['One page only', sessions.single_page_rate, 'rate'],
          ['Mean length', sessions.avg_duration, 'duration'],
        ],
      },
      ...(changes === undefined
        ? []
        : [
            deltaTable(
              'changes',
              [
                ['Events', changes.total_events, 'count'],
                ['Visitors', changes.unique_users, 'count'],
                ['Sessions', changes.total_sessions, 'count'],
                ['Bounce rate', changes.bounce_rate, 'rate'],
                ['One page only', changes.single_page_rate, 'rate'],
                ['Mean length', changes.avg_duration, 'duration'],
              ],
              { from: answer.previous?.period.from, headers: response.headers },
            ),
          ]),
      {
        kind: 'bars',
        name: 'series',
        title: 'Events',
        label: { key: 'bucket', title: 'Bucket' },
        value: { key: 'total_events', title: 'Events', as: 'count' },
        rows: answer.timeSeries,
      },
      {
        kind: 'table',
        name: 'events',
        columns: [
          { key: 'event', title: 'Event' },
          { key: 'count', title: 'Count', as: 'count' },
          { key: 'unique_users', title: 'Visitors', as: 'count' },
        ],
        rows: answer.events,
      },
      {
        kind: 'table',
        name: 'countries',
        columns: [
          { key: 'country', title: 'Country' },
          { key: 'count', title: 'Events', as: 'count' },
          { key: 'unique_users', title: 'Visitors', as: 'count' },
        ],
        rows: answer.countries,
      },
      ...monthlyUsage(response.headers),
    ]
  },
})

/** Without a cap the service sends no limit. */
function monthlyUsage(headers: Headers): Block[] {
  const used = headers.get('x-monthly-usage')
  if (used === null) return []
  const most = headers.get('x-monthly-limit')
  const of =
    most === null
      ? ''
      : ` of ${formatted(Number(most), 'count')} (${headers.get('x-monthly-usage-percent')} %)`
  return [{ kind: 'facts', facts: [['Events this month', `${formatted(Number(used), 'count')}${of}`]] }]
}
