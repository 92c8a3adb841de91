import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import type { LoadPlan, LoadResult } from './load.ts'

/**
 * `npm run bench:ingest`: what ingestion takes, acknowledged on disk, beside a bare node:http server that only parses
 * JSON. Both get the same requests from a second process over loopback, in turns, so that a busy machine slows both.
 *   --seconds 8     length of one measurement
 *   --rounds 3      turns
 *   --minutes 0     afterwards: batches at half the top rate for so long, with the memory of the service over time
 *   --alone         the HTTP front, track function and log only, without lake and queries
 */

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '0' },
    alone: { type: 'boolean', default: false },
  },
})

type Target = { name: string; port: number; token: string; process: ChildProcess }
type Shape = { name: string; path: LoadPlan['path']; events: number; leastShare: number }

const SHAPES: Shape[] = [
  { name: 'single events', path: '/track', events: 1, leastShare: 1 / 3 },
  { name: 'batches of 100', path: '/track/batch', events: 100, leastShare: 1 / 4 },
]
const CONNECTIONS = 64
const NODE_ARGS = ['--disable-warning=ExperimentalWarning']
const MEMORY_EVERY_MS = 15_000

/** Starts a script as a process of its own, in the data folder's environment; its output is not ours. */
function start(script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const path = join(import.meta.dirname, '..', script)
  return spawn(process.execPath, [...NODE_ARGS, path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function startBare(): Promise<Target> {
  const port = await freePort()
  const child = start('bench/ingest-plain.ts', [String(port)])
  await answers(port, child)
  return { name: 'bare node:http', port, token: 'aat_bench', process: child }
}

async function startAlone(dir: string): Promise<Target> {
  const port = await freePort()
  const token = 'aat_bench'
  const child = start('bench/ingest-service.ts', [String(port), dir, token])
  await answers(port, child)
  return { name: 'ingestion alone', port, token, process: child }
}

async function startService(dir: string): Promise<Target> {
  const port = await freePort()
  const child = start('local/main.ts', [], { PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false' })
  await answers(port, child)
  const credentials = join(dir, 'credentials.json')
  while (!existsSync(credentials)) await sleep(50)
  const { project_token } = JSON.parse(readFileSync(credentials, 'utf8'))
  return { name: 'Footfall', port, token: project_token, process: child }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Waits until the process answers HTTP at all. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    const answered = await fetch(`http://127.0.0.1:${port}/health`, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    )
    if (answered) return
    await sleep(100)
  }
}

const run = promisify(execFile)

async function load(target: Target, plan: Partial<LoadPlan> & Pick<LoadPlan, 'path'>): Promise<LoadResult> {
  const full: LoadPlan = {
    port: target.port,
    token: target.token,
    connections: CONNECTIONS,
    depth: 1,
    seconds: Number(options.seconds),
    rate: null,
    expect: 202,
    ...plan,
  }
  const script = join(import.meta.dirname, 'load.ts')
  const { stdout } = await run(process.execPath, [...NODE_ARGS, script, JSON.stringify(full)])
  const result: LoadResult = JSON.parse(stdout)
  if (result.failed > 0)
    console.log(`  ${result.failed} of ${result.requests} requests to ${target.name} FAILED`)
  return result
}

function line(what: string, { perSecond, p50, p95, p99, max }: LoadResult, events: number): void {
  const rate = Math.round(perSecond * events).toLocaleString('en')
  const ms = (value: number) => value.toFixed(1)
  console.log(
    `  ${what.padEnd(34)} ${rate.padStart(9)} events/s   p50 ${ms(p50)} p95 ${ms(p95)} p99 ${ms(p99)} max ${ms(max)} ms`,
  )
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number
}

/** Drives both servers in turns; returns the service's median rate in requests a second. */
async function compare(shape: Shape, bare: Target, service: Target): Promise<number> {
  console.log(`${shape.name}, ${CONNECTIONS} connections`)
  const rates: Record<string, number[]> = { [bare.name]: [], [service.name]: [] }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const target of [bare, service]) {
      const result = await load(target, { path: shape.path })
      rates[target.name]!.push(result.perSecond)
      line(target.name, result, shape.events)
    }
  }
  const top = median(rates[service.name]!)
  const share = top / median(rates[bare.name]!)
  const wanted = shape.leastShare.toFixed(2)
  console.log(`  share of the bare server: ${share.toFixed(2)} (at least ${wanted} wanted)`)
  line('at half of the top rate', await load(service, { path: shape.path, rate: top / 2 }), shape.events)
  return top
}

/** Resident memory in MB, from /proc; null where there is none. */
function residentMb(pid: number): number | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1]
  return kb === undefined ? null : Math.round(Number(kb) / 1024)
}

async function watchMemory(service: Target, shape: Shape, top: number): Promise<void> {
  const minutes = Number(options.minutes)
  const rate = top / 2
  console.log(`${shape.name} at ${Math.round(rate)} requests/s for ${minutes} minutes`)
  const began = performance.now()
  const timer = setInterval(() => {
    const at = Math.round((performance.now() - began) / 1000)
    console.log(`  ${String(at).padStart(5)} s   ${residentMb(service.process.pid as number)} MB`)
  }, MEMORY_EVERY_MS)
  line('in all', await load(service, { path: shape.path, rate, seconds: minutes * 60 }), shape.events)
  clearInterval(timer)
}

// Beside the service's own data: a folder for temporary files may lie in memory.
const root = join(import.meta.dirname, '..', '.footfall')
mkdirSync(root, { recursive: true })
const dir = mkdtempSync(join(root, 'bench-'))
const bare = await startBare()
const service = await (options.alone ? startAlone(dir) : startService(dir))
try {
  for (const shape of SHAPES) {
    const top = await compare(shape, bare, service)
    if (Number(options.minutes) > 0) await watchMemory(service, shape, top)
  }
  console.log(`memory of ${service.name}: ${residentMb(service.process.pid as number)} MB`)
} finally {
  for (const target of [bare, service]) {
    const ended = new Promise(resolve => target.process.once('exit', resolve))
    target.process.kill('SIGTERM')
    await ended
  }
  rmSync(dir, { recursive: true, force: true })
}
