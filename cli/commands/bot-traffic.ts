import { type CallCommand, type Flag, limit, NAME, parametersOf, TZ } from '#cli/command'
import { usage } from '#cli/errors'
import type { Answer } from '#cli/http/endpoint'
import type { Block, Column } from '#cli/print/blocks'
import { deltaTable } from '#cli/print/deltas'
import { reportHeading } from '#cli/print/periods'
import { PERIOD } from './insights.ts'

type Project = Answer<'GET /bot-traffic'>
type Account = Answer<'GET /account/bot-traffic'>

const FLAGS: readonly Flag[] = [
  PERIOD,
  limit(10, 'bots, or projects'),
  TZ,
  {
    flags: '--category <kind>',
    parameter: 'category',
    help: 'only these: ai_agent, search_crawler, social_preview, seo_research, headless_browser, monitoring_perf, automation_script or generic_bot',
  },
  { flags: '--all', as: 'switch', help: 'all projects of the account' },
]

const COUNTS: readonly Column[] = [
  { key: 'requests', title: 'Requests', as: 'count' },
  { key: 'dropped_events', title: 'Events', as: 'count' },
]

/** The columns of a table of parts: the part, its counts, and its share of all requests. */
function sharesBy(key: string, title: string): Column[] {
  return [{ key, title }, ...COUNTS, { key: 'share_pct', title: 'Share', as: 'percent' }]
}

export const botTraffic: CallCommand = {
  name: 'bot-traffic',
  group: 'Reports',
  args: [{ ...NAME, optional: true }],
  flags: FLAGS,
  summary: 'Requests of bots, which are counted and not stored',
  example: '--demo bot-traffic demo',
  call(input) {
    const query = parametersOf(FLAGS, input)
    const isAll = input.options.all === true
    if (isAll === (input.args.NAME !== undefined)) {
      throw usage(
        isAll ? 'A project and --all exclude each other.' : 'The project is missing.',
        'Name one project, or write --all.',
      )
    }
    return isAll
      ? { endpoint: 'GET /account/bot-traffic', query }
      : { endpoint: 'GET /bot-traffic', query: { project: input.args.NAME, ...query } }
  },
  print(answer, { response }) {
    const overview = answer as Project | Account
    const { summary } = overview
    const subject =
      overview.scope === 'project' ? overview.project : `${overview.summary.total_projects} projects`
    return [
      reportHeading(`${subject}, bots`, overview.period),
      deltaTable(
        'summary',
        [
          ['Requests', summary.automated_requests, 'count'],
          ['Dropped events', summary.dropped_events, 'count'],
        ],
        { from: overview.period.previous_from, headers: response.headers },
      ),
      {
        kind: 'spark',
        label: 'Requests a day',
        values: overview.time_series.map(({ requests }) => requests),
      },
      { kind: 'facts', facts: [['Last seen (UTC)', summary.last_seen_at, 'time']] },
      {
        kind: 'table',
        name: 'categories',
        columns: sharesBy('category', 'Category'),
        rows: overview.categories,
      },
      {
        kind: 'table',
        name: 'purposes',
        title: 'what crawlers are for',
        columns: sharesBy('purpose', 'Purpose'),
        rows: overview.purposes,
      },
      listOf(overview),
    ]
  },
}

function listOf(overview: Project | Account): Block {
  const lastSeen = { key: 'last_seen_at', title: 'Last seen (UTC)', as: 'time' } as const
  return overview.scope === 'project'
    ? {
        kind: 'table',
        name: 'actors',
        columns: [
          { key: 'actor', title: 'Bot' },
          { key: 'category', title: 'Category' },
          { key: 'purpose', title: 'Purpose' },
          ...COUNTS,
          lastSeen,
        ],
        rows: overview.actors,
      }
    : {
        kind: 'table',
        name: 'projects',
        columns: [{ key: 'name', title: 'Project' }, ...COUNTS, lastSeen],
        rows: overview.projects,
      }
}
