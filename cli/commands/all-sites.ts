import { callCommand, type Flag, limit, parametersOf, TZ } from '#cli/command'
import { line } from '#cli/print/blocks'
import { deltaTable } from '#cli/print/deltas'
import { reportHeading } from '#cli/print/periods'
import { PERIOD } from './insights.ts'

const FLAGS: readonly Flag[] = [PERIOD, limit(10, 'projects'), TZ]

export const allSites = callCommand<'GET /account/all-sites'>({
  name: 'all-sites',
  group: 'Reports',
  args: [],
  flags: FLAGS,
  summary: 'Events of all projects, beside those of the period before',
  example: '--demo all-sites',
  call: input => ({ endpoint: 'GET /account/all-sites', query: parametersOf(FLAGS, input) }),
  print: ({ period, summary, time_series, projects, remaining_projects }, { response: { headers } }) => [
    reportHeading(`${summary.active_projects} of ${summary.total_projects} projects are active`, period),
    deltaTable('summary', [['Events', summary.total_events, 'count']], {
      from: period.previous_from,
      headers,
    }),
    {
      kind: 'bars',
      name: 'series',
      title: 'Events',
      label: { key: 'date', title: 'Date' },
      value: { key: 'events', title: 'Events', as: 'count' },
      rows: time_series,
    },
    {
      kind: 'table',
      name: 'projects',
      columns: [
        { key: 'name', title: 'Project' },
        { key: 'events', title: 'Events', as: 'count' },
        { key: 'share_pct', title: 'Share', as: 'percent' },
        { key: 'last_active_date', title: 'Last event' },
      ],
      rows: projects,
    },
    ...(remaining_projects > 0 ? [line(`${remaining_projects} more active projects: --limit`)] : []),
  ],
})
