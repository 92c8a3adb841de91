import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  CONNECTIONS,
  createBenchFolder,
  freePort,
  memoryMb,
  processorMs,
  runLoad,
  startScript,
  startService,
  stop,
  type Target,
  waitUntilResponding,
  watchMemory,
} from './bench-service.ts'
import { measureIdentify } from './identify-load.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { median } from './percentile.ts'
import { runSustained, SUSTAINED_HEAD, type SustainedRow } from './sustained.ts'
import { measureWideEvents } from './wide-events.ts'

/**
 * `npm run bench -- ingest`: measures how many events per second the service stores on disk, compared with a
 * bare node:http server that only parses JSON. Another process sends the same requests to both over loopback.
 * The two servers take turns, so other load on the machine slows both equally.
 *
 * - `--seconds 8`: length of one measurement
 * - `--rounds 3`: measurements of each server
 * - `--minutes 0`: afterwards, send requests at half of the highest rate for so long, and print the memory of
 *   the service
 * - `--projects 1`: projects that get the events in turns; one project in the same service is measured beside
 *   them
 * - `--event-ids`: give every event an event_id
 * - `--sustained`: print other figures: how long events of another project take to be counted at steady rates
 *   for 20 s, and how long the lake takes to catch up
 * - `--rates 5000,10000`: the rates of batches of `--sustained`
 * - `--keys 800`: compare events with so many properties and usual ones, until reports count them
 * - `--identify`: send an import and an attack of identify requests, and print the freshness of another
 *   project meanwhile
 * - `--alone`: measure only the HTTP front, the track function and the log, without lake and queries
 */

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '0' },
    projects: { type: 'string', default: '1' },
    'event-ids': { type: 'boolean', default: false },
    sustained: { type: 'boolean', default: false },
    rates: { type: 'string', default: '5000,10000,20000,30000,40000' },
    alone: { type: 'boolean', default: false },
    identify: { type: 'boolean', default: false },
    keys: { type: 'string' },
  },
})

const seconds = Number(options.seconds)
const eventIds = options['event-ids']

type RequestShape = { name: string; path: LoadPlan['path']; events: number; minRatio: number }

/**
 * Goal with --alone: a request takes at most this many times the processor time that it takes a bare server.
 */
const MAX_TIME_RATIO = 4

const SHAPES: RequestShape[] = [
  { name: 'single events', path: '/track', events: 1, minRatio: 1 / 2 },
  { name: 'batches of 100', path: '/track/batch', events: 100, minRatio: 1 / 2 },
]
/** Of many projects, of the rate of one. */
const MIN_RATIO_TO_ONE = 0.8
const MEMORY_EVERY_MS = 15_000

async function startBare(): Promise<Target> {
  const port = await freePort()
  const child = startScript('bench/ingest-plain.ts', [String(port)])
  await waitUntilResponding(port, child)
  return { name: 'bare node:http', port, tokens: ['aat_bench'], process: child }
}

async function startAlone(dir: string): Promise<Target> {
  const port = await freePort()
  const token = 'aat_bench'
  const child = startScript('bench/ingest-service.ts', [String(port), dir, token])
  await waitUntilResponding(port, child)
  return { name: 'ingestion alone', port, tokens: [token], process: child }
}

function printResult(label: string, { perSecond, p50, p95, p99, max }: LoadResult, events: number): void {
  const rate = Math.round(perSecond * events).toLocaleString('en')
  const ms = (value: number) => value.toFixed(1)
  console.log(
    `  ${label.padEnd(34)} ${rate.padStart(9)} events/s   p50 ${ms(p50)} p95 ${ms(p95)} p99 ${ms(p99)} max ${ms(max)} ms`,
  )
}

/**
 * Measures the targets in turns, the bare server first. Returns the median rate of the last one, in requests
 * per second.
 */
async function compare(shape: RequestShape, targets: readonly Target[]): Promise<number> {
  console.log(`${shape.name}, ${CONNECTIONS} connections`)
  const rates = targets.map((): number[] => [])
  const times = targets.map((): number[] => [])
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [i, target] of targets.entries()) {
      const pid = target.process.pid as number
      const before = processorMs(pid)
      const result = await runLoad(target, { path: shape.path, seconds, eventIds })
      rates[i]?.push(result.perSecond)
      times[i]?.push(((processorMs(pid) - before) * 1_000) / result.requests)
      printResult(target.name, result, shape.events)
    }
  }
  const medians = rates.map(median)
  const [bareTime, time] = [median(times[0] as number[]), median(times.at(-1) as number[])]
  console.log(
    `  processor time of a request, of all threads: ${Math.round(time)} µs, ${(time / bareTime).toFixed(1)} times the ${Math.round(bareTime)} µs of the bare server${options.alone ? ` (goal: at most ${MAX_TIME_RATIO})` : ', lake and compactions included'}`,
  )
  const service = targets.at(-1) as Target
  const [bareRate, highestRate] = [medians[0] as number, medians.at(-1) as number]
  const ratio = highestRate / bareRate
  console.log(`  ratio to the bare server: ${ratio.toFixed(2)} (goal: at least ${shape.minRatio.toFixed(2)})`)
  if (targets.length > 2) {
    const ratioToOne = highestRate / (medians[1] as number)
    console.log(`  ratio to one project: ${ratioToOne.toFixed(2)} (goal: at least ${MIN_RATIO_TO_ONE})`)
  }
  const halfLoad = await runLoad(service, { path: shape.path, rate: highestRate / 2, seconds, eventIds })
  printResult('at half of the highest rate', halfLoad, shape.events)
  return highestRate
}

async function printMemory(service: Target, shape: RequestShape, highestRate: number): Promise<void> {
  const minutes = Number(options.minutes)
  const rate = highestRate / 2
  console.log(`${shape.name} at ${Math.round(rate)} requests/s for ${minutes} minutes`)
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`  ${String(seconds).padStart(5)} s   ${memoryMb(service.process.pid as number)} MB`)
  }, MEMORY_EVERY_MS)
  const result = await runLoad(service, { path: shape.path, rate, seconds: minutes * 60, eventIds })
  printResult('whole time', result, shape.events)
  clearInterval(timer)
}

const SUSTAINED_SECONDS = 20

/**
 * A steady load of batches at each rate, one of single events, and the most that the service takes of both.
 */
async function printSustained(service: Target): Promise<void> {
  const [flood, markers] = service.tokens.map((token, i) => ({ name: service.projects?.[i] ?? '', token }))
  if (flood === undefined || markers === undefined) throw new Error('The service needs two projects.')
  const rows: SustainedRow[] = [
    ...String(options.rates)
      .split(',')
      .map(rate => ({ rate: Number(rate), batch: 100 as const })),
    { rate: 6_000, batch: 1 },
    { rate: null, batch: 100 },
    { rate: null, batch: 1 },
  ]
  console.log(SUSTAINED_HEAD)
  for (const row of rows) console.log(await runSustained(service, [flood, markers], row, SUSTAINED_SECONDS))
}

const dir = createBenchFolder()
if (options.sustained || options.identify || options.keys !== undefined) {
  const service = await startService(dir, 2)
  const memory = watchMemory(service.process.pid as number)
  try {
    if (options.identify) await measureIdentify(service)
    else if (options.keys !== undefined)
      await measureWideEvents(service, {
        keys: Number(options.keys),
        seconds,
        rounds: Number(options.rounds),
      })
    else await printSustained(service)
    console.log(`Memory: at most ${memory.stop()} MB (${memory.parts()})`)
  } finally {
    await stop(service)
    rmSync(dir, { recursive: true, force: true })
  }
  process.exit()
}
const bare = await startBare()
const service = await (options.alone ? startAlone(dir) : startService(dir, Number(options.projects)))
const one = { ...service, name: `${service.name}, one project`, tokens: service.tokens.slice(0, 1) }
const all = { ...service, name: `${service.name}, ${options.projects} projects` }
const peak = watchMemory(service.process.pid as number)
const targets = service.tokens.length > 1 ? [bare, one, all] : [bare, service]
try {
  for (const shape of SHAPES) {
    const highestRate = await compare(shape, targets)
    if (Number(options.minutes) > 0) await printMemory(service, shape, highestRate)
  }
  const memory = (field: Parameters<typeof memoryMb>[1]) => memoryMb(service.process.pid as number, field)
  console.log(
    `Memory of ${service.name}: ${memory('VmRSS')} MB now, of which ${memory('RssAnon')} MB are no pages of files; at most ${peak.stop()} MB`,
  )
} finally {
  for (const target of [bare, service]) await stop(target)
  rmSync(dir, { recursive: true, force: true })
}
