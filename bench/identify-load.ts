import { setTimeout as sleep } from 'node:timers/promises'
import { memoryMb, type Target } from './bench-service.ts'

/** Identify requests that are sent at the same time. */
const CONNECTIONS = 32
const PROBE_PAUSE_MS = 500
const LONGEST_WAIT_MS = 600_000

type Identify = { previous_id: string; user_id: string; traits?: object }

/** One of the loads that made the lake wait when claims did the work of identity. */
const LOADS: { name: string; count: number; request(i: number): Identify }[] = [
  {
    name: 'an attack: 20,000 identify requests to one id',
    count: 20_000,
    request: i => ({ previous_id: `anon_attack${String(i).padStart(8, '0')}`, user_id: 'victim' }),
  },
  {
    name: 'an import: 100,000 identify requests, each with an e-mail address',
    count: 100_000,
    request: i => ({
      previous_id: `anon_import${String(i).padStart(8, '0')}`,
      user_id: `user-${i}`,
      traits: { email: `user-${i}@example.com`, plan: 'pro' },
    }),
  },
]

/**
 * Sends identify requests for the first project, and meanwhile measures how long an event of another project
 * takes until GET /events has it. Prints that, and when the last link counts.
 */
export async function measureIdentify(service: Target): Promise<void> {
  const [token = '', otherToken = ''] = service.tokens
  for (const { name, count, request } of LOADS) {
    console.log(name)
    const probes = startProbes(service, otherToken)
    const startedAt = performance.now()
    let next = 0
    let failed = 0
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let i = next++; i < count; i = next++) {
          const status = await post(service, '/identify', { token, ...request(i) })
          if (status !== 202) failed += 1
        }
      }),
    )
    const sentAt = performance.now()
    console.log(`  sent in ${seconds(sentAt - startedAt)} s${failed > 0 ? `, ${failed} FAILED` : ''}`)
    const last = request(count - 1)
    await waitUntilLinked(service, token, last)
    console.log(`  the last link counts ${seconds(performance.now() - sentAt)} s later`)
    const delays = (await probes.stop()).toSorted((a, b) => a - b)
    const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0
    console.log(
      `  freshness of another project, ${delays.length} events: p50 ${at(0.5)} p95 ${at(0.95)} max ${at(1)} ms; memory ${memoryMb(service.process.pid as number)} MB`,
    )
  }
}

/** Sends an event twice a second, and measures when a read returns it. */
function startProbes(service: Target, token: string) {
  const delays: number[] = []
  let isStopping = false
  async function run() {
    for (let i = 0; !isStopping; i++) {
      const user_id = `probe-${Date.now()}-${i}`
      await post(service, '/track', { token, event: 'probe', user_id })
      const startedAt = performance.now()
      while (!(await hasEvent(service, user_id))) await sleep(50)
      delays.push(Math.round(performance.now() - startedAt))
      await sleep(PROBE_PAUSE_MS)
    }
  }
  const running = run()
  return {
    async stop(): Promise<number[]> {
      isStopping = true
      await running
      return delays
    },
  }
}

async function hasEvent(service: Target, userId: string): Promise<boolean> {
  const { count } = await get(service, `/events?project=site-1&since=1d&limit=1&user_id=${userId}`)
  return Number(count) > 0
}

/** An event of the previous id is read under the id that it was linked to. */
async function waitUntilLinked(
  service: Target,
  token: string,
  { previous_id, user_id }: Identify,
): Promise<void> {
  await post(service, '/track', { token, event: 'page_view', user_id: previous_id })
  const deadline = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const { events } = await get(service, `/events?project=demo&since=1d&limit=1&user_id=${previous_id}`)
    if ((events as { user_id: string }[] | undefined)?.[0]?.user_id === user_id) return
    if (performance.now() > deadline) throw new Error('The last link does not count after ten minutes.')
    await sleep(200)
  }
}

async function post({ port, key = '' }: Target, path: string, body: object): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: path === '/identify' ? {} : { 'X-API-Key': key },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}

async function get({ port, key = '' }: Target, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Key': key } })
  return (await response.json()) as Record<string, unknown>
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
