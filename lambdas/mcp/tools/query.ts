import * as z from 'zod'
import { defineTool } from '#lambdas/mcp/tool'
import { compare, filters, limit, project, sinceOr, tz, until, where } from './arguments.ts'
import { refuseUnused } from './refuse-unused.ts'
import { serviceReports } from './service-reports.ts'
import { trafficReports } from './traffic-reports.ts'

const reports = { ...trafficReports, ...serviceReports }
const reportNames = Object.keys(reports) as (keyof typeof reports)[]

/** The arguments of every report about one project and its days. */
const QUESTION = ['project', 'since', 'until', 'tz', 'where'] as const

/** The arguments that each report reads. */
const TAKES: Record<keyof typeof reports, readonly string[]> = {
  totals: [...QUESTION, 'compare', 'interval'],
  metrics: [
    ...[...QUESTION, 'metrics', 'group_by', 'filters', 'count_mode', 'compare'],
    ...['order_by', 'order', 'limit'],
  ],
  pages: [...QUESTION, 'limit'],
  sessions: [...QUESTION, 'limit', 'has_replay'],
  durations: QUESTION,
  hours: QUESTION,
  bots: ['project', 'since', 'tz', 'limit', 'category'],
  live: ['project', 'after'],
  all_projects: ['since', 'tz', 'limit'],
  experiments: ['project', 'experiment'],
}

/** Numbers of any kind: one entry of `reports` for each report. */
export const query = defineTool({
  name: 'query',
  title: 'Query',
  description:
    'Numbers of a project. report=totals (default): people, events, sessions, top events, series. report=metrics (default with metrics, group_by or filters): metrics event_count, unique_users, session_count, bounce_rate, single_page_rate, avg_duration, sum|avg|min|max|p50|p75|p90|p95|p99|unique(property), rate|people({condition}) by event, date, hour, country, user_id, session_id, properties.x, traits.x, channel, source, entry_page or is_bounce. Others: pages, sessions, durations, hours, bots, live, all_projects (no project), experiments (experiment=<id> for results).',
  input: z.object({
    project: project.optional(),
    report: z.enum(reportNames).optional().describe('Which numbers; see above'),
    metrics: z.array(z.string()).optional().describe('Default event_count, unique_users'),
    group_by: z.array(z.string()).optional().describe('A row for each value'),
    filters,
    count_mode: z
      .enum(['raw', 'session_then_user'])
      .optional()
      .describe('event_count counts events (raw, default) or visits'),
    since: sinceOr('7d'),
    until,
    tz,
    where,
    compare: z.union([z.boolean(), compare]).optional().describe('Also another range; true: previous'),
    interval: z.enum(['hour', 'day', 'week', 'month']).optional().describe('Of the series of totals'),
    order_by: z.string().optional().describe('A metric or group; default the first metric'),
    order: z.enum(['asc', 'desc']).optional().describe('Default desc'),
    limit,
    experiment: z.string().optional().describe('Id, for its results'),
    has_replay: z.boolean().optional().describe('sessions: only those with a replay'),
    category: z.string().optional().describe('bots: only this kind, such as ai_agent'),
    after: z.string().optional().describe('live: cursor of the last answer'),
  }),
  renames: { period: 'since', date_from: 'since', date_to: 'until', groupBy: 'interval' },
  effect: 'reads',
  isDrawn: true,
  run: (args, context) => {
    const isQuery = args.metrics !== undefined || args.group_by !== undefined || args.filters !== undefined
    const name = args.report ?? (isQuery ? 'metrics' : 'totals')
    refuseUnused(args, `report=${name}`, ['report', ...TAKES[name]])
    return reports[name](args, context)
  },
})
