import { createConnection } from 'node:net'
import { performance } from 'node:perf_hooks'

/**
 * The load generator. It is a separate process, so it does not use the server's thread. It writes prepared
 * requests to raw sockets, because an HTTP client library would be slower than the servers. bench/ingest.ts
 * starts it with a LoadPlan as JSON in the first argument. It prints a LoadResult as JSON.
 */

export type LoadPlan = {
  port: number
  path: '/track' | '/track/batch'
  /** Tokens of projects, which take turns. */
  tokens: string[]
  /** Gives every event an event_id of its own. */
  eventIds: boolean
  connections: number
  /** Requests that wait for their response at the same time on one connection (closed loop only). */
  depth: number
  seconds: number
  /**
   * Requests per second, sent whether or not responses arrive (open loop). With null each response starts the
   * next request (closed loop).
   */
  rate: number | null
  /** False: the server gives each event the time of its arrival. Default: true. */
  hasTimestamp?: boolean
  /** Each event has this many properties with names of their own. Default: the properties of a page view. */
  keys?: number
  /**
   * The number of client addresses, sent as X-Forwarded-For. TRUSTED_PROXIES of the service must contain the
   * load generator. Default: all requests come from the generator's address and share one client's limits.
   */
  peers?: number
  /** The expected status of every response. */
  expect: number
}

export type LoadResult = {
  requests: number
  failed: number
  seconds: number
  perSecond: number
  /** Latencies in ms. In an open loop they start when the request was due, so a stall counts in full. */
  p50: number
  p95: number
  p99: number
  max: number
}

const BODIES = 256
/** Batches of events with hundreds of properties have 800 KB. */
const WIDE_BODIES = 8
/** The histogram counts latencies in steps of 10 µs, up to 10 s. */
const STEP_MS = 0.01
const STEPS = 1_000_000

/** Stands for an event_id in a prepared request, and is replaced by a new one at each sending. */
const ID_PLACEHOLDER = 'event-id-________'
const ID_DIGITS = 8

function pageProperties(i: number) {
  const page = (i * 7919) % 2003
  return {
    path: `/docs/page-${page}`,
    url: `https://example.com/docs/page-${page}`,
    hostname: 'example.com',
    title: `How to do thing ${page} - Example documentation`,
    referrer: i % 3 === 0 ? 'https://www.google.com/' : '',
    screen: '1920x1080',
    browser: 'Chrome',
    browser_version: '131',
    os: 'Windows',
    device: 'desktop',
    language: 'en-US',
    timezone: 'Europe/Berlin',
    session_count: i % 9,
    days_since_first_visit: i % 30,
  }
}

const KEY_CHARS = 4
const LETTERS = 26

/** With 800 properties an event has just below 8 KB. */
function manyProperties(keys: number): Record<string, number> {
  const properties = new Map<string, number>()
  while (properties.size < keys) properties.set(randomKey(), 10 + (properties.size % 90))
  return Object.fromEntries(properties)
}

function randomKey(): string {
  const letters = Array.from({ length: KEY_CHARS }, () => 97 + Math.floor(Math.random() * LETTERS))
  return String.fromCharCode(...letters)
}

/** One event of browser traffic, about 500 bytes of JSON. Its values depend on `i`. */
function sampleEvent(i: number, token: string, { eventIds, hasTimestamp = true, keys }: LoadPlan) {
  return {
    project: 'bench',
    token,
    event: ['page_view', 'page_view', 'page_view', 'click', 'signup_started'][i % 5],
    properties: keys === undefined ? pageProperties(i) : manyProperties(keys),
    user_id: `anon_${((i * 2654435761) % 4294967296).toString(16)}`,
    session_id: `sess_${((i * 40503) % 16777216).toString(16)}`,
    ...(hasTimestamp && { timestamp: Date.now() - (i % 1000) }),
    ...(eventIds && { event_id: ID_PLACEHOLDER }),
  }
}

function createRequest(plan: LoadPlan, i: number): Buffer {
  const { port, path, tokens, peers } = plan
  const token = tokens[i % tokens.length] as string
  const body = JSON.stringify(
    path === '/track'
      ? sampleEvent(i, token, plan)
      : { events: Array.from({ length: 100 }, (_, k) => sampleEvent(i * 100 + k, token, plan)) },
  )
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: text/plain;charset=UTF-8',
    'Origin: https://example.com',
    ...(peers === undefined ? [] : [`X-Forwarded-For: 198.51.100.${i % peers}`]),
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Returns a reader of chunks that calls `onResponse` for each whole HTTP response. A response must have
 * Content-Length.
 */
function createResponseReader(onResponse: (status: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return chunk => {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const end = data.indexOf('\r\n\r\n')
      if (end === -1) break
      const head = data.toString('latin1', 0, end)
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      if (data.length < end + 4 + length) break
      data = data.subarray(end + 4 + length)
      onResponse(Number(head.slice(9, 12)))
    }
    rest = data
  }
}

/** Returns a function that writes a new event_id over each placeholder of a request. */
function createIdWriter(requests: readonly Buffer[]): (request: Buffer) => void {
  const positions = new Map(requests.map(request => [request, findAll(request, ID_PLACEHOLDER)]))
  let next = Date.now() % 1_000_000
  return request => {
    for (const position of positions.get(request) ?? []) {
      next += 1
      request.write(
        next.toString(36).padStart(ID_DIGITS, '0'),
        position + ID_PLACEHOLDER.length - ID_DIGITS,
        'latin1',
      )
    }
  }
}

function findAll(bytes: Buffer, text: string): number[] {
  const positions: number[] = []
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) positions.push(at)
  return positions
}

/** Runs a plan. Rejects when a connection fails. */
function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const bodies = Math.max(plan.keys === undefined ? BODIES : WIDE_BODIES, plan.tokens.length)
  const requests = Array.from({ length: bodies }, (_, i) => createRequest(plan, i))
  const writeIds = createIdWriter(requests)
  const histogram = new Uint32Array(STEPS)
  let requestCount = 0
  let responseCount = 0
  let failureCount = 0
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()

  const connections = Array.from({ length: plan.connections }, () => {
    const socket = createConnection({ port: plan.port, host: '127.0.0.1', noDelay: true })
    const dueTimes: number[] = []
    const send = (due: number) => {
      dueTimes.push(due)
      const request = requests[requestCount++ % bodies]!
      writeIds(request)
      // With event_ids the next sending changes the bytes, so the socket gets a copy.
      socket.write(plan.eventIds ? Buffer.from(request) : request)
    }
    socket.on('error', reject)
    socket.on(
      'data',
      createResponseReader(status => {
        const now = performance.now()
        const step = Math.min(STEPS - 1, Math.floor((now - dueTimes.shift()!) / STEP_MS))
        histogram[step] = histogram[step]! + 1
        responseCount++
        if (status !== plan.expect) failureCount++
        if (plan.rate === null && now < end) send(now)
      }),
    )
    return { socket, send }
  })

  const begin = performance.now()
  const end = begin + plan.seconds * 1000
  if (plan.rate === null) {
    for (const connection of connections) {
      for (let i = 0; i < plan.depth; i++) connection.send(performance.now())
    }
  } else {
    const gap = 1000 / plan.rate
    const timer = setInterval(() => {
      const now = performance.now()
      for (
        let due = begin + requestCount * gap;
        due <= Math.min(now, end);
        due = begin + requestCount * gap
      ) {
        connections[requestCount % connections.length]!.send(due)
      }
      if (now >= end) clearInterval(timer)
    }, 1)
  }

  const finish = setInterval(() => {
    const now = performance.now()
    if (now < end || (responseCount < requestCount && now < end + 10_000)) return
    clearInterval(finish)
    for (const { socket } of connections) socket.destroy()
    const latencyAt = (share: number) => percentile(histogram, responseCount, share)
    const seconds = plan.seconds
    resolve({
      requests: responseCount,
      failed: failureCount + (requestCount - responseCount),
      seconds,
      perSecond: responseCount / seconds,
      p50: latencyAt(0.5),
      p95: latencyAt(0.95),
      p99: latencyAt(0.99),
      max: latencyAt(1),
    })
  }, 5)
  return promise
}

function percentile(histogram: Uint32Array, total: number, share: number): number {
  const rank = Math.ceil(total * share)
  let count = 0
  for (let step = 0; step < histogram.length; step++) {
    count += histogram[step]!
    if (count >= rank && count > 0) return (step + 1) * STEP_MS
  }
  return 0
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await runLoad(JSON.parse(process.argv[2]!)))}\n`)
