import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs, runLoad, type Target } from './bench-service.ts'
import { median } from './percentile.ts'
import { countEvents } from './sustained.ts'

/**
 * The table of `npm run bench -- ingest --keys 800`: events of so many properties beside usual ones, through
 * the whole service. A rate counts all events that GET /stats shows, over the time from the first request
 * until it shows the last one. So neither the front nor the lake can hide behind the other.
 */

const GOAL = 0.1
const POLL_MS = 500

const SHAPES = [
  { name: 'batches of 100', path: '/track/batch', events: 100 },
  { name: 'single events', path: '/track', events: 1 },
] as const

type Rate = { perSecond: number; cpuUs: number }

/** Prints for each shape of request the medians of both rates, and the ratio that has a goal. */
export async function measureWideEvents(
  service: Target,
  { keys, seconds, rounds }: { keys: number; seconds: number; rounds: number },
): Promise<void> {
  for (const shape of SHAPES) {
    const usual: Rate[] = []
    const wide: Rate[] = []
    for (let round = 0; round < rounds; round++) {
      usual.push(await measure(service, shape, seconds))
      wide.push(await measure(service, shape, seconds, keys))
      console.log(`  usual ${toText(usual.at(-1) as Rate)}, wide ${toText(wide.at(-1) as Rate)}`)
    }
    const [a, b] = [medianOf(usual), medianOf(wide)]
    console.log(`${shape.name}: usual ${toText(a)}, of ${keys} properties ${toText(b)}`)
    console.log(
      `  ratio ${(b.perSecond / a.perSecond).toFixed(2)} (goal: at least ${GOAL.toFixed(2)}), processor time ${(b.cpuUs / a.cpuUs).toFixed(1)} times`,
    )
  }
}

function medianOf(rates: readonly Rate[]): Rate {
  const middle = (field: keyof Rate) => median(rates.map(rate => rate[field]))
  return { perSecond: middle('perSecond'), cpuUs: middle('cpuUs') }
}

function toText({ perSecond, cpuUs }: Rate): string {
  return `${Math.round(perSecond).toLocaleString('en')} events/s (${Math.round(cpuUs)} µs of processor each)`
}

async function measure(
  service: Target,
  { path, events }: (typeof SHAPES)[number],
  seconds: number,
  keys?: number,
): Promise<Rate> {
  const [token = ''] = service.tokens
  const [project = ''] = service.projects ?? []
  const before = (await countEvents(service, project)).events
  const pid = service.process.pid as number
  const cpuBefore = processorMs(pid)
  // The load generator makes its requests before its clock starts.
  const {
    requests,
    failed,
    seconds: sendingFor,
  } = await runLoad({ ...service, tokens: [token] }, { path, seconds, ...(keys !== undefined && { keys }) })
  const sent = (requests - failed) * events
  const endedAt = performance.now()
  while ((await countEvents(service, project)).events - before < sent) await sleep(POLL_MS)
  const caughtUpIn = (performance.now() - endedAt) / 1_000
  return {
    perSecond: sent / (sendingFor + caughtUpIn),
    cpuUs: ((processorMs(pid) - cpuBefore) * 1_000) / sent,
  }
}
