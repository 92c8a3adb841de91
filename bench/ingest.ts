import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import type { LoadPlan, LoadResult } from './load.ts'

/**
 * `npm run bench:ingest`: measures how many events per second the service stores on disk, compared with a bare node:http
 * server that only parses JSON. Another process sends the same requests to both over loopback. The two servers take
 * turns, so other load on the machine slows both equally.
 *   --seconds 8     length of one measurement
 *   --rounds 3      measurements per server
 *   --minutes 0     afterwards, send requests at half of the highest rate for this time, and print the service's memory
 *   --projects 1    projects that get the events in turns
 *   --event-ids     give every event an event_id
 *   --alone         measure only the HTTP front, the track function and the log, without lake and queries
 */

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '0' },
    projects: { type: 'string', default: '1' },
    'event-ids': { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
})

type Target = { name: string; port: number; tokens: string[]; process: ChildProcess }
type RequestShape = { name: string; path: LoadPlan['path']; events: number; minRatio: number }

const SHAPES: RequestShape[] = [
  { name: 'single events', path: '/track', events: 1, minRatio: 1 / 3 },
  { name: 'batches of 100', path: '/track/batch', events: 100, minRatio: 1 / 4 },
]
const CONNECTIONS = 64
const NODE_ARGS = ['--disable-warning=ExperimentalWarning']
const MEMORY_EVERY_MS = 15_000

/** Starts a script as a separate process. Its standard output is thrown away. */
function startScript(script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const path = join(import.meta.dirname, '..', script)
  return spawn(process.execPath, [...NODE_ARGS, path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

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

async function startService(dir: string): Promise<Target> {
  const port = await freePort()
  const child = startScript('local/main.ts', [], { PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false' })
  await waitUntilResponding(port, child)
  const credentials = join(dir, 'credentials.json')
  while (!existsSync(credentials)) await sleep(50)
  const { project_token, api_key } = JSON.parse(readFileSync(credentials, 'utf8'))
  const tokens = [project_token]
  while (tokens.length < Number(options.projects))
    tokens.push(await createProject(port, api_key, tokens.length))
  return { name: 'Footfall', port, tokens, process: child }
}

/** Creates a project and returns its token. */
async function createProject(port: number, apiKey: string, number: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/projects`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: JSON.stringify({ name: `site-${number}` }),
  })
  const { project_token } = (await response.json()) as { project_token: string }
  return project_token
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Waits until the process responds to HTTP. */
async function waitUntilResponding(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    const isResponding = await fetch(`http://127.0.0.1:${port}/health`, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    )
    if (isResponding) return
    await sleep(100)
  }
}

const runFile = promisify(execFile)

async function runLoad(
  target: Target,
  plan: Partial<LoadPlan> & Pick<LoadPlan, 'path'>,
): Promise<LoadResult> {
  const fullPlan: LoadPlan = {
    port: target.port,
    tokens: target.tokens,
    eventIds: options['event-ids'],
    connections: CONNECTIONS,
    depth: 1,
    seconds: Number(options.seconds),
    rate: null,
    expect: 202,
    ...plan,
  }
  const script = join(import.meta.dirname, 'load.ts')
  const { stdout } = await runFile(process.execPath, [...NODE_ARGS, script, JSON.stringify(fullPlan)])
  const result: LoadResult = JSON.parse(stdout)
  if (result.failed > 0)
    console.log(`  ${result.failed} of ${result.requests} requests to ${target.name} FAILED`)
  return result
}

function printResult(label: string, { perSecond, p50, p95, p99, max }: LoadResult, events: number): void {
  const rate = Math.round(perSecond * events).toLocaleString('en')
  const ms = (value: number) => value.toFixed(1)
  console.log(
    `  ${label.padEnd(34)} ${rate.padStart(9)} events/s   p50 ${ms(p50)} p95 ${ms(p95)} p99 ${ms(p99)} max ${ms(max)} ms`,
  )
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number
}

/** Measures both servers in turns. Returns the median rate of the service, in requests per second. */
async function compare(shape: RequestShape, bare: Target, service: Target): Promise<number> {
  console.log(`${shape.name}, ${CONNECTIONS} connections`)
  const rates: Record<string, number[]> = { [bare.name]: [], [service.name]: [] }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const target of [bare, service]) {
      const result = await runLoad(target, { path: shape.path })
      rates[target.name]!.push(result.perSecond)
      printResult(target.name, result, shape.events)
    }
  }
  const highestRate = median(rates[service.name]!)
  const ratio = highestRate / median(rates[bare.name]!)
  console.log(`  ratio to the bare server: ${ratio.toFixed(2)} (goal: at least ${shape.minRatio.toFixed(2)})`)
  const halfLoad = await runLoad(service, { path: shape.path, rate: highestRate / 2 })
  printResult('at half of the highest rate', halfLoad, shape.events)
  return highestRate
}

/** Resident memory in MB, or null on a system without /proc. */
function residentMb(pid: number): number | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1]
  return kb === undefined ? null : Math.round(Number(kb) / 1024)
}

async function watchMemory(service: Target, shape: RequestShape, highestRate: number): Promise<void> {
  const minutes = Number(options.minutes)
  const rate = highestRate / 2
  console.log(`${shape.name} at ${Math.round(rate)} requests/s for ${minutes} minutes`)
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`  ${String(seconds).padStart(5)} s   ${residentMb(service.process.pid as number)} MB`)
  }, MEMORY_EVERY_MS)
  const result = await runLoad(service, { path: shape.path, rate, seconds: minutes * 60 })
  printResult('whole time', result, shape.events)
  clearInterval(timer)
}

// On the disk of the repository, because the system's folder for temporary files may be in memory.
const root = join(import.meta.dirname, '..', '.footfall')
mkdirSync(root, { recursive: true })
const dir = mkdtempSync(join(root, 'bench-'))
const bare = await startBare()
const service = await (options.alone ? startAlone(dir) : startService(dir))
try {
  for (const shape of SHAPES) {
    const highestRate = await compare(shape, bare, service)
    if (Number(options.minutes) > 0) await watchMemory(service, shape, highestRate)
  }
  console.log(`Memory of ${service.name}: ${residentMb(service.process.pid as number)} MB`)
} finally {
  for (const target of [bare, service]) {
    const exit = new Promise(resolve => target.process.once('exit', resolve))
    target.process.kill('SIGTERM')
    await exit
  }
  rmSync(dir, { recursive: true, force: true })
}
