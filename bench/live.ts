import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBenchFolder, memoryMb, runLoad, startService, stop, type Target } from './bench-service.ts'
import type { LoadResult } from './load.ts'
import { percentile } from './percentile.ts'

/**
 * `npm run bench -- live`: sends events to the service, first without and then with open streams. It counts
 * the events that each stream gets, and prints how long they took, the latency of ingestion in both cases,
 * and the service's memory.
 *
 * - `--rate 1000`: events a second, each in a request of its own
 * - `--streams 10`: open streams of the project
 * - `--seconds 20`: length of one measurement
 */

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    streams: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
  },
})
const [rate, seconds] = [Number(options.rate), Number(options.seconds)]

/** Longest wait for the last events after the load, ms. */
const LAST_EVENTS_MS = 10_000

type OpenStream = { events: number; delays: number[]; close(): void }

/** Opens a stream, and counts its events. A delay is the time from the arrival of an event at the service. */
async function openStream({ port, key = '' }: Target): Promise<OpenStream> {
  const closing = new AbortController()
  const stream: OpenStream = { events: 0, delays: [], close: () => closing.abort() }
  const response = await fetch(`http://127.0.0.1:${port}/stream?project=demo`, {
    headers: { 'X-API-Key': key },
    signal: closing.signal,
  })
  if (response.status !== 200 || response.body === null) throw new Error(`GET /stream: ${response.status}`)
  void readBlocks(response.body, stream).catch(() => {})
  return stream
}

async function readBlocks(body: AsyncIterable<Uint8Array>, stream: OpenStream): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const now = Date.now()
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const arrivedAt = /^event: track\ndata: .*"timestamp":(\d+)/m.exec(block)?.[1]
      if (arrivedAt === undefined) continue
      stream.events += 1
      stream.delays.push(now - Number(arrivedAt))
    }
  }
}

function printLoad(label: string, { perSecond, p50, p95, p99, max }: LoadResult, service: Target): void {
  const [rate, ...ms] = [perSecond, p50, p95, p99, max].map(value => value.toFixed(1))
  const memory = memoryMb(service.process.pid as number)
  console.log(
    `${label.padEnd(20)} ${rate} requests/s   p50 ${ms.join(' p95 ').replace(/ p95 (\S+) p95 (\S+) p95 /, ' p95 $1 p99 $2 max ')} ms   ${memory} MB`,
  )
}

const dir = createBenchFolder()
const service = await startService(dir)
try {
  const load = () => runLoad(service, { path: '/track', rate, seconds, hasTimestamp: false })
  printLoad('warm-up', await load(), service)
  printLoad('without streams', await load(), service)
  const streams = await Promise.all(
    Array.from({ length: Number(options.streams) }, () => openStream(service)),
  )
  await sleep(1_500)
  for (const round of [1, 2]) {
    const before = streams.map(({ events }) => events)
    const result = await load()
    printLoad(`with ${streams.length} streams`, result, service)
    const sent = result.requests - result.failed
    const deadline = Date.now() + LAST_EVENTS_MS
    const counts = () => streams.map(({ events }, i) => events - (before[i] ?? 0))
    while (counts().some(count => count < sent) && Date.now() < deadline) await sleep(50)
    const delays = streams.flatMap(stream => stream.delays.splice(0))
    console.log(
      `  round ${round}: ${sent} events acknowledged; the streams got ${Math.min(...counts())} to ${Math.max(...counts())}` +
        `   delay p50 ${percentile(delays, 0.5)} p99 ${percentile(delays, 0.99)} max ${percentile(delays, 1 - 1e-9)} ms`,
    )
  }
  for (const stream of streams) stream.close()
} finally {
  await stop(service)
  rmSync(dir, { recursive: true, force: true })
}
