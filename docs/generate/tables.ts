import { join } from 'node:path'
import { BILLED, type Guard, profiles, type TierLimits } from '#core/plans/profile'
import { NAMED_BOTS } from '#core/usage/named-bots'
import { settingsSchema } from '#local/settings'
import { tables as lakeTables } from '#schemas/columns'
import { MAX_CONTEXT_BYTES } from '#schemas/contexts'
import { errorCodes } from '#schemas/errors'
import { EVENT_LIMITS, NON_INTERACTIVE_EVENTS } from '#schemas/event'
import { clientSetUps } from '#schemas/mcp-clients'
import { MEANINGS } from '#schemas/meanings'
import { openApiDocument } from '#schemas/openapi'
import { REFUSAL_REASONS } from '#schemas/refusals'
import { REPORT_PLACES } from '#schemas/report-places'
import { type CredentialKind, isMetered, MAX_BODY_BYTES, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { DEFAULT_SCOPES, SCOPES } from '#schemas/scopes'
import { SHARED_VIEWS } from '#schemas/share-links'
import { sourcesBelow } from '#scripts/imports'
import { drawFloors } from './floors.ts'
import { type JsonSchema, toShape } from './shape.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The generated parts of pages, by name. Each returns Markdown. An argument that names nothing throws an
 * Error.
 */
export const tables: Record<string, (names: readonly string[]) => string> = {
  routes: names => toTable(['method and path', 'who may call', 'what it does'], names.map(toRouteRow)),
  parameters: ([name = '']) => toTable(['field', 'default', 'meaning and bounds'], parametersOf(name)),
  response: ([name = '', status]) => responseOf(name, status),
  errors: () =>
    toTable(
      ['status', 'code', 'what to do'],
      Object.entries(errorCodes)
        .toSorted(([, a], [, b]) => a.status - b.status)
        .map(([code, { status, hint }]) => [String(status), `\`${code}\``, hint]),
    ),
  columns: ([name = '']) => columnsOf(name),
  limits: () => limitsTable(),
  guards: () => guardsTable(),
  bounds: () => boundsTable(),
  'shared-views': () => sharedViewsTable(),
  'mcp-clients': () => clientsTable(),
  scopes: () =>
    toTable(
      ['scope', 'granted when none is asked for'],
      SCOPES.map(scope => [`\`${scope}\``, DEFAULT_SCOPES.includes(scope) ? 'yes' : '']),
    ),
  'non-interactive-events': () => NON_INTERACTIVE_EVENTS.map(event => `- \`${event}\``).join('\n'),
  bots: () => {
    const byCategory = Map.groupBy(NAMED_BOTS, ({ category }) => category)
    return toTable(
      ['category', 'names, in the order in which they are tried'],
      [...byCategory].map(([category, bots]) => [
        `\`${category}\``,
        bots.map(({ actor, pattern }) => (pattern.endsWith('/') ? `${actor}/` : actor)).join(', '),
      ]),
    )
  },
  'refusal-reasons': () =>
    toTable(
      ['reason', 'what was refused'],
      Object.entries(REFUSAL_REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
    ),
  settings: () => settingsTable(),
  meanings: () => MEANINGS.map(meaning => `- ${meaning}`).join('\n'),
  places: () =>
    toTable(
      ['report', 'command of `footfall`', 'tool of MCP', 'view of `/app`'],
      Object.entries(REPORT_PLACES).map(([endpoint, { command, tool, view }]) => [
        `\`${endpoint}\``,
        command === null ? '' : `\`${command}\``,
        `\`${tool}\``,
        view === null ? '' : `\`${view}\``,
      ]),
    ),
  'floors-of-core': () => `\`\`\`text\n${drawFloors(sourcesBelow(ROOT, 'core'))}\n\`\`\``,
}

const document = openApiDocument('', 'everything') as unknown as {
  paths: Record<string, Record<string, Operation | undefined> | undefined>
  components: { schemas: Record<string, JsonSchema> }
}

type Operation = {
  parameters?: { in: string; name: string; required?: boolean; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
}

function routeOf(name: string): Route {
  const route: Route | undefined = (routes as Record<string, Route>)[name]
  if (route === undefined) throw new Error(`There is no route ${name}`)
  return route
}

function operationOf(name: string): Operation {
  const { method, path } = routeOf(name)
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`The route ${name} is not in the OpenAPI document`)
  return operation
}

function resolve(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  return resolve(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
}

function toRouteRow(name: string): string[] {
  const route = routeOf(name)
  return [`${route.method} ${route.path}`, CALLERS[name] ?? whoMayCall(route), route.summary]
}

/** Rows of pages that somebody else may call too. */
const CALLERS: Record<string, string> = {
  home: 'anybody',
  llms: 'anybody',
  pagesScript: 'anybody',
  paymentWebhook: 'the payment provider, by its signature',
}

const NAMES: Record<CredentialKind, string> = {
  api_key: 'API key',
  agent_session: 'agent session',
  cookie: 'signed-in browser',
  demo: 'demo session',
  share_link: 'share link',
}

function whoMayCall({ auth, scope, credentials, tier, limits = [] }: Route): string {
  if (auth === 'none') return 'anybody'
  if (auth === 'project_token') return 'project token in the body'
  if (auth === 'browser') return 'a person with a browser'
  const scopes = [scope ?? []].flat().map(each => `\`${each}\``)
  const credential = credentials?.map(kind => NAMES[kind]).join(' or ') ?? 'any credential'
  return [
    scopes.length > 0 ? scopes.join(' or ') : credential,
    ...(tier === undefined ? [] : ['Pro']),
    ...(isMetered({ limits }) ? ['metered'] : limits.length === 0 ? [] : ['counts by the minute']),
  ].join(', ')
}

/** Parameters that several reads share. docs/api/reads.md, ranges.md and conditions.md describe them once. */
const SHARED_PARAMETERS = [
  ...['project', 'period', 'compact', 'receipt', 'sql', 'dry_run'],
  ...['since', 'until', 'days', 'date_from', 'date_to', 'tz', 'where', 'filter'],
]
/** Fields that every read may have. docs/api/reads.md describes them once. */
const SHARED_FIELDS = ['project_context', 'truncated', 'total_rows', 'receipt', 'sql']

function parametersOf(name: string): string[][] {
  const { parameters = [], requestBody } = operationOf(name)
  const body = resolve(requestBody?.content['application/json']?.schema ?? {})
  const fields = new Map<string, { schema: JsonSchema; isRequired: boolean }>()
  for (const { in: place, name: field, schema, required } of parameters) {
    if (place === 'query') fields.set(field, { schema, isRequired: required === true })
  }
  for (const [field, schema] of Object.entries(body.properties ?? {})) {
    fields.set(field, { schema, isRequired: body.required?.includes(field) === true })
  }
  const isRead = routeOf(name).options !== undefined
  return [...fields]
    .filter(([field]) => !(isRead && SHARED_PARAMETERS.includes(field)))
    .map(([field, { schema, isRequired }]) => {
      const resolved = resolve(schema)
      const preset = resolved.default === undefined ? '' : `\`${JSON.stringify(resolved.default)}\``
      return [
        `\`${field}\``,
        isRequired ? 'required' : preset.replaceAll('"', ''),
        [boundsOf(resolved), schema.description ?? resolved.description ?? ''].filter(Boolean).join('. '),
      ]
    })
}

/** The bounds of a value in words; an empty text if it has none. */
function boundsOf(schema: JsonSchema): string {
  // A field that may be null has the bounds of its other form.
  const other = schema.anyOf?.find(({ type }) => type !== 'null')
  if (other !== undefined) return boundsOf(other)
  const { type, minimum, maximum, minLength, maxLength, maxItems, minItems } = schema
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${String(value)}\``).join(', ')
  if (minimum !== undefined && maximum !== undefined) {
    return `${type === 'integer' ? 'a whole number' : 'a number'}, ${minimum} to ${maximum}`
  }
  if (maxLength !== undefined) return `text of ${minLength ?? 0} to ${maxLength} characters`
  if (maxItems !== undefined) return `a list of ${minItems ?? 0} to ${maxItems}`
  return type === 'boolean' ? '`true` or `false`' : ''
}

/** The body of a successful response, as an indented block. */
function responseOf(name: string, status?: string): string {
  const { responses } = operationOf(name)
  const found = Object.entries(responses).find(
    ([code]) => (status ?? '2') === code.slice(0, status?.length ?? 1),
  )
  const schema = resolve(found?.[1].content?.['application/json']?.schema ?? {})
  // A read that takes dry_run has two bodies. The first one is the report.
  const [body = schema] = schema.anyOf ?? []
  // The options of a read add fields to it.
  const [report = body] = body.allOf ?? []
  const isRead = routeOf(name).options !== undefined
  const shape = toShape(report, resolve, isRead ? SHARED_FIELDS : [])
  return `\n${shape.replace(/^/gm, '    ')}\n`
}

function columnsOf(name: string): string {
  const table = Object.entries(lakeTables).find(([key]) => key === name)?.[1]
  if (table === undefined) throw new Error(`There is no table ${name} in the lake`)
  return toTable(
    ['column', 'type', 'meaning'],
    table.columns.map(column => [`\`${column.name}\``, column.type, column.meaning]),
  )
}

const LIMIT_MEANINGS: Record<keyof TierLimits, string> = {
  max_events_per_month: 'accepted events in a UTC calendar month',
  max_projects: 'live projects',
  max_reads_per_month: 'metered reads in a UTC calendar month',
  retention_days: 'days for which events are kept',
  rate_limit_rpm: 'metered reads in a sliding minute',
  max_full_scans_per_month: 'full website analyses in a UTC calendar month',
}

function limitsTable(): string {
  const { own, hosted } = profiles
  const rows = Object.entries(LIMIT_MEANINGS).map(([limit, meaning]) => {
    const key = limit as keyof TierLimits
    return [
      `\`${key}\``,
      meaning,
      ...[own.tiers.pro, hosted.tiers.free, hosted.tiers.pro].map(tier => toLimit(tier[key])),
    ]
  })
  return toTable(['limit', 'of what', '`own`', '`hosted`, free', '`hosted`, Pro'], rows)
}

const GUARD_MEANINGS: Record<Guard, string> = {
  token_requests_per_minute: 'requests of one project token in a minute',
  session_starts: 'session starts of one address in 10 minutes, and as many sign-ins of a browser',
  session_failures:
    'wrong secrets for one session from one network in 10 minutes; a right one passes even then',
  demo_sessions: 'demo sessions of one address in an hour',
  client_registrations: 'MCP clients that one address registers in an hour',
  all_client_registrations: 'MCP clients that all addresses together register in an hour',
  anonymous_scans_per_hour: 'website analyses of one address without an account in an hour',
  account_scans_per_hour: 'website analyses of an account in an hour',
  exports_per_day: 'exports of a project within a day',
  demo_reads_per_minute: 'reads of one demo session in a minute',
  demo_network_reads_per_minute: 'reads of all demo sessions of one network in a minute',
  share_statements_per_minute: 'statements by one share link from one network in a minute',
  share_link_statements_per_minute: 'statements by one share link in a minute',
  guest_statements_per_day: 'statements of a project in a UTC day by its share links and demo sessions',
  guest_reads_at_once: 'reads of share links and demo sessions that run at once',
  guest_network_streams: 'open streams of share links and demo sessions of one network',
  guest_streams: 'open streams of all share links and demo sessions of an account',
  replay_storage_bytes: 'bytes that the replays of an account may have at once',
  replay_ingestion_bytes: 'bytes of replays of an account that may come in within 30 days',
  replay_starts: 'replays that one address may start in an hour',
  project_replay_starts: 'replays that all addresses together may start for a project in an hour',
  open_streams: 'open streams of an account',
  stream_idle_minutes: 'minutes without a match after which a stream ends',
  live_buffer_seconds: 'seconds for which the live buffer keeps an event',
  live_buffer_events: 'events of a project that live reads see',
  live_buffer_bytes: 'bytes of these events, as JSON',
}

function sharedViewsTable(): string {
  const rows = Object.entries(SHARED_VIEWS).map(([view, names]) => {
    const read = names.map(name => `${routes[name].method} ${routes[name].path}`)
    return [`\`${view}\``, read.join(', ')]
  })
  return toTable(['view', 'routes'], rows)
}

function guardsTable(): string {
  const { own, hosted } = profiles
  const rows = Object.entries(GUARD_MEANINGS).map(([guard, meaning]) => {
    const key = guard as Guard
    const onAws = { ...own, ...BILLED }[key]
    const differs = onAws === own[key] ? '' : toLimit(onAws)
    return [`\`${key}\``, meaning, toLimit(own[key]), toLimit(hosted[key]), differs]
  })
  return toTable(['number', 'of what', '`own`', '`hosted`', 'both on AWS'], rows)
}

function clientsTable(): string {
  const rows = clientSetUps('https://footfall.example').map(({ client, how }) => [client, `\`${how}\``])
  return toTable(['client', 'what to run or write'], rows)
}

/** Bounds of no single field. Those of a field stand in the table of its endpoint. */
function boundsTable(): string {
  return toTable(
    ['what', 'bound'],
    [
      ['body', `${toLimit(MAX_BODY_BYTES)} bytes`],
      ['body of a context', `${toLimit(MAX_CONTEXT_BYTES)} bytes`],
      ['events of a batch', toLimit(EVENT_LIMITS.batchEvents)],
    ],
  )
}

function toLimit(value: number): string {
  return value === -1 ? 'none' : value.toLocaleString('en-US')
}

function settingsTable(): string {
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { description = '', preset } = (schema.meta() ?? {}) as { description?: string; preset?: string }
    const parsed = schema.safeParse(undefined)
    const value = preset ?? (parsed.success && parsed.data !== undefined ? `\`${String(parsed.data)}\`` : '')
    return [`\`${name}\``, value, description]
  })
  return toTable(['variable', 'default', 'meaning'], rows)
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [toLine(heads), toLine(heads.map(() => '---')), ...rows.map(toLine)].join('\n')
}
