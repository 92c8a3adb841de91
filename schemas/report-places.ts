/** Where a report can be asked for, beside its endpoint. */
type Places = {
  /** The command of `footfall` that sends this request; null where another request of it answers the same. */
  command: string | null
  /** The tool of MCP that answers its question. */
  tool: string
  /** A view of the dashboard that shows it, as its folder below dashboard/views/; null: none. */
  view: string | null
}

/** Every metered read, and the result of an experiment. docs/api/reads.md shows the table. */
export const REPORT_PLACES = {
  'GET /stats': { command: 'stats', tool: 'query', view: 'overview' },
  'POST /query': { command: 'query', tool: 'query', view: 'events' },
  'GET /breakdown': { command: 'breakdown', tool: 'query', view: 'funnel' },
  'GET /properties': { command: 'properties', tool: 'overview', view: 'funnel' },
  'GET /properties/received': { command: 'properties-received', tool: 'check', view: 'events' },
  'GET /events': { command: null, tool: 'people', view: 'events' },
  'POST /events': { command: 'events', tool: 'people', view: null },
  'POST /events/lookup': { command: null, tool: 'people', view: null },
  'GET /journey': { command: null, tool: 'people', view: null },
  'POST /journey': { command: 'journey', tool: 'people', view: 'people' },
  'POST /journey/lookup': { command: null, tool: 'people', view: 'people' },
  'GET /conversion': { command: 'conversion', tool: 'journeys', view: 'sources' },
  'GET /sources': { command: 'sources', tool: 'journeys', view: 'sources' },
  'GET /sessions': { command: 'sessions', tool: 'query', view: 'sessions' },
  'GET /sessions/distribution': { command: 'sessions-dist', tool: 'query', view: 'pages' },
  'GET /pages': { command: 'pages', tool: 'query', view: 'pages' },
  'GET /insights': { command: 'insights', tool: 'changes', view: null },
  'GET /heatmap': { command: 'heatmap', tool: 'query', view: 'heatmap' },
  'GET /account/all-sites': { command: 'all-sites', tool: 'query', view: 'sites' },
  'POST /funnel': { command: 'funnel', tool: 'journeys', view: 'funnel' },
  'POST /paths': { command: 'paths', tool: 'journeys', view: 'paths' },
  'GET /retention': { command: 'retention', tool: 'journeys', view: 'retention' },
  'GET /live': { command: 'live', tool: 'query', view: 'live' },
  'GET /stream': { command: null, tool: 'query', view: null },
  'GET /bot-traffic': { command: 'bot-traffic', tool: 'query', view: 'bots' },
  'GET /account/bot-traffic': { command: 'bot-traffic --all', tool: 'query', view: null },
  'GET /experiments/{id}': { command: 'experiments get', tool: 'query', view: 'experiments' },
} as const satisfies Record<string, Places>

/** Options of reports that have another name than the parameter that they send. */
const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  date_from: 'from',
  date_to: 'to',
  filters: 'filter',
  steps: 'steps-json',
  conversion_window_hours: 'window',
  people_of_step: 'people-of',
  people_of_cohort: 'people-of',
  people_of_offset: 'people-offset',
  goal_event: 'goal',
  is_bounce: 'bounce',
}

/** The option of a command that sends a parameter of a report: `group_by` is `--group-by`. */
export function optionOf(parameter: string): string {
  const words = parameter.replaceAll('_', '-').replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  return `--${OTHER_OPTIONS[parameter] ?? words}`
}
