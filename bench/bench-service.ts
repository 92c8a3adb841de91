import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LoadPlan, LoadResult } from './load.ts'

/** What the benchmarks of a running service share: starting it, sending load, reading its memory. */

/** `projects`: the names that belong to the tokens. */
export type Target = {
  name: string
  port: number
  tokens: string[]
  projects?: string[]
  key?: string
  process: ChildProcess
}

export const CONNECTIONS = 64
/** Those of `npm start`. */
export const NODE_ARGS = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=16',
  '--heap-growing-percent=200',
  '--import',
  new URL('../local/modules.mjs', import.meta.url).href,
]

/**
 * Creates a data folder on the disk of the repository, because the folder for temporary files may be in
 * memory.
 */
export function createBenchFolder(): string {
  const root = join(import.meta.dirname, '..', '.footfall')
  mkdirSync(root, { recursive: true })
  return mkdtempSync(join(root, 'bench-'))
}

/** Stops a server as Ctrl-C does. */
export async function stop({ process }: Target): Promise<void> {
  const exit = new Promise(resolve => process.once('exit', resolve))
  process.kill('SIGTERM')
  await exit
}

/** Starts a script as a separate process. Its standard output is thrown away. */
export function startScript(script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const path = join(import.meta.dirname, '..', script)
  return spawn(process.execPath, [...NODE_ARGS, path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Starts the service with `projects` projects, which get the events in turns. */
export async function startService(dir: string, projects = 1): Promise<Target> {
  const port = await freePort()
  const child = startScript('local/main.ts', [], { PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false' })
  await waitUntilResponding(port, child)
  const credentials = join(dir, 'credentials.json')
  while (!existsSync(credentials)) await sleep(50)
  const { project, project_token, api_key } = JSON.parse(readFileSync(credentials, 'utf8'))
  const tokens = [project_token]
  while (tokens.length < projects) tokens.push(await createProject(port, api_key, tokens.length))
  const names = [project, ...tokens.slice(1).map((_, i) => `site-${i + 1}`)]
  return { name: 'Footfall', port, tokens, projects: names, key: api_key, process: child }
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Waits until the process responds to HTTP. */
export async function waitUntilResponding(port: number, child: ChildProcess): Promise<void> {
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

export async function runLoad(
  target: Target,
  plan: Partial<LoadPlan> & Pick<LoadPlan, 'path' | 'seconds'>,
): Promise<LoadResult> {
  const fullPlan: LoadPlan = {
    port: target.port,
    tokens: target.tokens,
    eventIds: false,
    connections: CONNECTIONS,
    depth: 1,
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

/**
 * Fields of /proc/PID/status: resident memory now, its highest value so far, and the part of it that is no
 * page of a file.
 */
type MemoryField = 'VmRSS' | 'VmHWM' | 'RssAnon'

/** Memory in MB, or null on a system without /proc. */
export function memoryMb(pid: number, field: MemoryField = 'VmRSS'): number | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const kb = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(path, 'utf8'))?.[1]
  return kb === undefined ? null : Math.round(Number(kb) / 1024)
}

/**
 * Processor time that all threads of a process have used since its start, ms. Linux only. After the name of
 * the program, which ends with a bracket, /proc/PID/stat has utime and stime as fields 11 and 12, in
 * hundredths of a second.
 */
export function processorMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
