import { createConnection } from 'node:net'
import { performance } from 'node:perf_hooks'

/**
 * The load generator: a process of its own, so that it does not take the server's thread. It writes prebuilt requests
 * to raw sockets, as an HTTP client library would be slower than the servers it measures. Started by bench/ingest.ts
 * with a LoadPlan as JSON in its first argument; prints a LoadResult as JSON.
 */

export type LoadPlan = {
  port: number
  path: '/track' | '/track/batch'
  token: string
  connections: number
  /** Requests that are under way on one connection at a time (closed loop only). */
  depth: number
  seconds: number
  /** Requests a second to start whether or not answers came (open loop); null: as many as get answered. */
  rate: number | null
  /** The status that every answer must have. */
  expect: number
}

export type LoadResult = {
  requests: number
  failed: number
  seconds: number
  perSecond: number
  /** Milliseconds; in an open loop from the moment the request was due, so that a stall is counted in full. */
  p50: number
  p95: number
  p99: number
  max: number
}

const BODIES = 256
/** Latencies are counted in steps of 10 µs up to 10 s. */
const STEP_MS = 0.01
const STEPS = 1_000_000

/** One event of browser traffic, about 500 bytes of JSON; `i` varies what varies in life. */
function sampleEvent(i: number, token: string) {
  const page = (i * 7919) % 2003
  return {
    project: 'bench',
    token,
    event: ['page_view', 'page_view', 'page_view', 'click', 'signup_started'][i % 5],
    properties: {
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
    },
    user_id: `anon_${((i * 2654435761) % 4294967296).toString(16)}`,
    session_id: `sess_${((i * 40503) % 16777216).toString(16)}`,
    timestamp: Date.now() - (i % 1000),
  }
}

function request(plan: LoadPlan, i: number): Buffer {
  const body = JSON.stringify(
    plan.path === '/track'
      ? sampleEvent(i, plan.token)
      : { events: Array.from({ length: 100 }, (_, k) => sampleEvent(i * 100 + k, plan.token)) },
  )
  const head = [
    `POST ${plan.path} HTTP/1.1`,
    `Host: 127.0.0.1:${plan.port}`,
    'Content-Type: text/plain;charset=UTF-8',
    'Origin: https://example.com',
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Calls `onAnswer(status)` for each whole HTTP answer in the chunks; answers carry Content-Length. */
function answerReader(onAnswer: (status: number) => void): (chunk: Buffer) => void {
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
      onAnswer(Number(head.slice(9, 12)))
    }
    rest = data
  }
}

/** Runs the plan to its end. Rejects when a connection fails. */
function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const requests = Array.from({ length: BODIES }, (_, i) => request(plan, i))
  const histogram = new Uint32Array(STEPS)
  let sent = 0
  let answered = 0
  let failed = 0
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()

  const lanes = Array.from({ length: plan.connections }, () => {
    const socket = createConnection({ port: plan.port, host: '127.0.0.1', noDelay: true })
    const dueTimes: number[] = []
    const send = (due: number) => {
      dueTimes.push(due)
      socket.write(requests[sent++ % BODIES]!)
    }
    socket.on('error', reject)
    socket.on(
      'data',
      answerReader(status => {
        const now = performance.now()
        const step = Math.min(STEPS - 1, Math.floor((now - dueTimes.shift()!) / STEP_MS))
        histogram[step] = histogram[step]! + 1
        answered++
        if (status !== plan.expect) failed++
        if (plan.rate === null && now < end) send(now)
      }),
    )
    return { socket, send }
  })

  const begin = performance.now()
  const end = begin + plan.seconds * 1000
  if (plan.rate === null) {
    for (const lane of lanes) for (let i = 0; i < plan.depth; i++) lane.send(performance.now())
  } else {
    const gap = 1000 / plan.rate
    const timer = setInterval(() => {
      const now = performance.now()
      for (let due = begin + sent * gap; due <= Math.min(now, end); due = begin + sent * gap) {
        lanes[sent % lanes.length]!.send(due)
      }
      if (now >= end) clearInterval(timer)
    }, 1)
  }

  const finish = setInterval(() => {
    const now = performance.now()
    if (now < end || (answered < sent && now < end + 10_000)) return
    clearInterval(finish)
    for (const { socket } of lanes) socket.destroy()
    const at = (share: number) => percentile(histogram, answered, share)
    const seconds = plan.seconds
    resolve({
      requests: answered,
      failed: failed + (sent - answered),
      seconds,
      perSecond: answered / seconds,
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      max: at(1),
    })
  }, 5)
  return promise
}

function percentile(histogram: Uint32Array, total: number, share: number): number {
  const rank = Math.ceil(total * share)
  let seen = 0
  for (let step = 0; step < histogram.length; step++) {
    seen += histogram[step]!
    if (seen >= rank && seen > 0) return (step + 1) * STEP_MS
  }
  return 0
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await runLoad(JSON.parse(process.argv[2]!)))}\n`)
