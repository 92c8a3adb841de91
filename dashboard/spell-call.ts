import { addressOf, type Call } from './api.ts'

/** A call as a person would type it, to get the same number outside of the dashboard. */

/** As a line of curl. The key is the reader's own. */
export function asCurl(each: Call, origin: string): string {
  const start = `curl -H "X-API-Key: $FOOTFALL_API_KEY"`
  if (each.method === 'GET') return `${start} ${quoted(`${origin}${addressOf(each)}`)}`
  return `${start} ${quoted(`${origin}${each.path}`)} -d ${quoted(JSON.stringify(each.values))}`
}

/** How the command line calls the values of an endpoint. A value without a name here is not sent. */
type Command = {
  name: string
  /** What its argument is: the project of the call, or the id in its path. */
  project: 'argument' | 'none' | 'path'
  flags: Record<string, string>
}

const dated = { since: '--since', until: '--until', days: '--days', tz: '--tz', where: '--where' }
const commands: Record<string, Command> = {
  'GET /stats': {
    name: 'stats',
    project: 'argument',
    flags: { ...dated, groupBy: '--group-by', compare: '--compare' },
  },
  'POST /query': {
    name: 'query',
    project: 'argument',
    flags: {
      metrics: '--metrics',
      group_by: '--group-by',
      date_from: '--from',
      date_to: '--to',
      count_mode: '--count-mode',
      order_by: '--order-by',
      order: '--order',
      limit: '--limit',
      email: '--email',
      compare: '--compare',
      tz: '--tz',
      where: '--where',
    },
  },
  'GET /breakdown': {
    name: 'breakdown',
    project: 'argument',
    flags: { ...dated, property: '--property', event: '--event', limit: '--limit' },
  },
  'GET /pages': {
    name: 'pages',
    project: 'argument',
    flags: { ...dated, type: '--type', limit: '--limit' },
  },
  'POST /funnel': {
    name: 'funnel',
    project: 'argument',
    flags: {
      ...dated,
      steps: '--steps-json',
      people_of_step: '--people-of',
      conversion_window_hours: '--window',
      count_by: '--count-by',
      breakdown: '--breakdown',
      breakdown_limit: '--breakdown-limit',
    },
  },
  'GET /retention': {
    name: 'retention',
    project: 'argument',
    flags: {
      ...dated,
      period: '--period',
      cohorts: '--cohorts',
      event: '--event',
      returning_event: '--returning-event',
      people_of_cohort: '--people-of',
      people_of_offset: '--people-offset',
    },
  },
  'POST /paths': {
    name: 'paths',
    project: 'argument',
    flags: {
      ...dated,
      goal_event: '--goal',
      max_steps: '--max-steps',
      entry_limit: '--entry-limit',
      path_limit: '--path-limit',
    },
  },
  'GET /heatmap': { name: 'heatmap', project: 'argument', flags: dated },
  'GET /sessions/distribution': { name: 'sessions-dist', project: 'argument', flags: dated },
  'GET /account/all-sites': {
    name: 'all-sites',
    project: 'none',
    flags: { period: '--period', limit: '--limit', tz: '--tz' },
  },
  'GET /live': { name: 'live', project: 'argument', flags: { window: '--window' } },
  'GET /experiments/{id}': { name: 'experiments get', project: 'path', flags: {} },
  'GET /bot-traffic': {
    name: 'bot-traffic',
    project: 'argument',
    flags: { period: '--period', limit: '--limit', tz: '--tz' },
  },
}

/** Endpoints that `asCommand` knows; a test reads each of them with the command line. */
export const KNOWN_COMMANDS = Object.keys(commands)

/** As a command of `footfall`; null where the command line has none that we can write. */
export function asCommand(each: Call): string | null {
  const command = commands[each.endpoint]
  if (command === undefined) return null
  const words = ['footfall', command.name]
  if (command.project === 'path') words.push(quoted(decodeURIComponent(each.path.split('/').at(-1) ?? '')))
  if (command.project === 'argument') words.push(quoted(String(each.values.project)))
  for (const [name, value] of Object.entries(each.values)) {
    if (name === 'filters') {
      for (const filter of value as unknown[]) words.push('--filter', quoted(JSON.stringify(filter)))
      continue
    }
    const flag = command.flags[name]
    if (flag !== undefined && !(Array.isArray(value) && value.length === 0))
      words.push(flag, quoted(wordOf(value)))
  }
  return words.join(' ')
}

/** A list of texts has commas, and anything else that is no text is JSON. */
function wordOf(value: unknown): string {
  const isPlain = typeof value !== 'object' || (Array.isArray(value) && typeof value[0] !== 'object')
  return isPlain ? String(value) : JSON.stringify(value)
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
