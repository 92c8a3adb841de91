import type * as z from 'zod'
import type { Receipt } from '#schemas/read-options'
import type { routes } from '#schemas/routes'
import { credential, hasShareLink } from './credential.ts'

/**
 * Calls of the service. Their types are those of the table of routes: a call of a route that does not exist,
 * or a field that its response does not have, does not compile. Nothing of the table is in the script.
 */

type Rows = typeof routes
type NameOf<Row> = Row extends { method: infer Method extends string; path: infer Path extends string }
  ? `${Method} ${Path}`
  : never

type ByEndpoint = { [Name in keyof Rows as NameOf<Rows[Name]>]: Rows[Name] }

/** Method and path, such as `GET /stats`. */
export type Endpoint = keyof ByEndpoint
type RowOf<Of extends Endpoint> = ByEndpoint[Of]

type Field<Row, Name extends string> =
  Row extends Record<Name, infer Schema extends z.ZodType> ? z.input<Schema> : unknown
type Success<Responses> = Responses extends { 200: infer Ok }
  ? Ok
  : Responses extends { 201: infer Created }
    ? Created
    : Responses extends { 202: infer Accepted }
      ? Accepted
      : never
type SchemaOf<Response> = Response extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : unknown

/** What a successful call of the endpoint returns. */
export type Answer<Of extends Endpoint> = SchemaOf<Success<RowOf<Of>['responses']>>

/** Values of the parameters of an endpoint, with its options such as `sql`. */
export type Values<Of extends Endpoint> = Field<RowOf<Of>, 'query'> &
  Field<RowOf<Of>, 'body'> &
  Partial<Field<RowOf<Of>, 'options'>>

/**
 * One question to the service, which is answered by `Data`. The same path and values are the same question.
 */
export type Call<Data = unknown> = {
  /** Method and path as in the table of routes. */
  endpoint: string
  /** Method and path with its parameters filled in. */
  method: string
  path: string
  /** Query string of a GET or DELETE, body of the others. */
  values: Readonly<Record<string, unknown>>
  /** The version that a change wants to replace, for the header If-Match. */
  ifMatch?: string
  /** Only for the compiler. */
  data?: Data
}

/**
 * Describes a call: `call('GET /projects/{id}', {}, { id })`. It sends nothing. Absent values are left out.
 */
export function call<const Of extends Endpoint>(
  endpoint: Of,
  values: Values<Of>,
  path: Readonly<Record<string, string>> = {},
): Call<Answer<Of>> {
  const [method = '', template = ''] = endpoint.split(' ')
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''))
  // A share link counts in the time zone of its project, whatever a page that was opened earlier knows of it.
  const isLeftOut = (name: string) => name === 'tz' && hasShareLink()
  const sent = Object.entries(values as object).filter(
    ([name, value]) => value !== undefined && value !== null && !isLeftOut(name),
  )
  return { endpoint, method, path: filled, values: Object.fromEntries(sent) }
}

/** Path and query string of a call. */
export function addressOf({ method, path, values }: Call): string {
  if (method !== 'GET' && method !== 'DELETE') return path
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, textOf(value)]))
  return query.size === 0 ? path : `${path}?${query}`
}

/** A value in a query string. A condition is JSON there. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What went wrong, by what a person can do. */
export type ProblemKind =
  | 'signed_out'
  | 'no_right'
  | 'plan'
  | 'limit'
  | 'missing'
  | 'input'
  | 'restarting'
  | 'offline'
  | 'failed'

export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: string
  /** The service may not be asked again before that, ms. */
  readonly waitMs: number
  constructor(kind: ProblemKind, code: string, message: string, waitMs = 0) {
    super(message)
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.waitMs = waitMs
  }
}

export type Reply<Data> = { data: Data; receipt: Partial<Receipt> | null }

const KINDS: Record<string, ProblemKind> = {
  AUTH_REQUIRED: 'signed_out',
  FORBIDDEN: 'no_right',
  PRO_REQUIRED: 'plan',
  RATE_LIMITED: 'limit',
  NOT_FOUND: 'missing',
}

/** Sends a call once. Throws Problem, or the reason of `signal`. */
export async function send<Data>(each: Call<Data>, signal?: AbortSignal): Promise<Reply<Data>> {
  const isRead = each.method === 'GET' || each.method === 'DELETE'
  const headers: Record<string, string> = { Accept: 'application/json', ...(await credential()) }
  if (!isRead) headers['Content-Type'] = 'application/json'
  if (each.ifMatch !== undefined) headers['If-Match'] = each.ifMatch
  const request: RequestInit = { method: each.method, headers, signal: signal ?? null }
  if (!isRead) request.body = JSON.stringify(each.values)
  const response = await fetch(addressOf(each), request).catch(error => {
    if (signal?.aborted) throw error
    throw navigator.onLine
      ? new Problem('restarting', 'NO_ANSWER', 'The service does not answer. It may be restarting.')
      : new Problem('offline', 'OFFLINE', 'This browser is offline.')
  })
  const body = await response.json().catch(() => null)
  if (response.ok) return { data: body as Data, receipt: readReceipt(response.headers) }
  const seconds = Number(response.headers.get('Retry-After') ?? 0)
  throw problemOf(response.status, body, Number.isFinite(seconds) ? seconds * 1_000 : 0)
}

/** Reads that POST /reads takes, of those that views ask. */
const READS: readonly Endpoint[] = [
  'GET /stats',
  'GET /sources',
  'GET /pages',
  'GET /breakdown',
  'GET /sessions/distribution',
  'GET /heatmap',
  'POST /query',
  'POST /funnel',
  'POST /paths',
  'GET /retention',
]
/** That one call takes. */
const MAX_READS = 12

/** The calls that can be sent in one: reads of the project of the first of them. */
export function readsOfOneCall(calls: readonly Call[]): Call[] {
  const reads = calls.filter(({ endpoint }) => READS.some(read => read === endpoint))
  return reads.filter(({ values }) => values.project === reads[0]?.values.project).slice(0, MAX_READS)
}

/** In the place of an answer that the call does not have. */
const UNANSWERED = { status: 500, body: {} as Record<string, unknown>, retry_after: undefined }

/**
 * Sends reads of one project in one call. Each has its own reply, or throws its own Problem, as by `send`.
 */
export function sendTogether(calls: readonly Call[]): Promise<Reply<unknown>>[] {
  const reads = calls.map(({ endpoint, values: { project: _, ...values } }) => ({
    ...values,
    read: endpoint,
    receipt: true,
  }))
  const answered = send(call('POST /reads', { project: String(calls[0]?.values.project), reads }))
  return calls.map(async (_, i) => {
    const { status, body, retry_after = 0 } = (await answered).data.reads[i] ?? UNANSWERED
    if (status !== 200) throw problemOf(status, body, retry_after * 1_000)
    const { receipt, ...data } = body
    return { data, receipt: receipt as Partial<Receipt> }
  })
}

/** What an answer with another status than 2xx means. `waitMs`: how long the service wants to rest. */
export function problemOf(
  status: number,
  body: { error?: unknown; message?: unknown } | null,
  waitMs = 0,
): Problem {
  const code = typeof body?.error === 'string' ? body.error : `HTTP_${status}`
  const message =
    typeof body?.message === 'string' ? body.message : `The service answered with status ${status}.`
  if (code === 'AUTH_REQUIRED' && hasShareLink())
    return new Problem('no_right', code, 'This link shows nothing any more. Ask its owner for another.')
  if (code === 'PRECONDITION_FAILED' || code === 'CONTEXT_CHANGED')
    return new Problem('input', code, 'Somebody else has changed this. Load the page again, then change it.')
  if (status === 502 || status === 503 || status === 504)
    return new Problem('restarting', code, message, waitMs)
  const kind = KINDS[code] ?? (status === 400 ? 'input' : status === 404 ? 'missing' : 'failed')
  return new Problem(kind, code, message, waitMs)
}

/** Reads the header X-Footfall-Receipt, which every read has. */
function readReceipt(headers: Headers): Partial<Receipt> | null {
  const text = headers.get('X-Footfall-Receipt')
  if (text === null) return null
  const pairs = text.split('; ').map(pair => {
    const [name = '', value = ''] = pair.split('=')
    return [name, ['engine', 'data_from'].includes(name) && value !== 'null' ? value : receiptValue(value)]
  })
  return Object.fromEntries(pairs)
}

function receiptValue(text: string): unknown {
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  return Number(text)
}
