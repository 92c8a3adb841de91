import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
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

/**
 * Starts the service with `projects` projects, which get the events in turns. `settings`: variables of its
 * environment.
 */
export async function startService(
  dir: string,
  projects = 1,
  settings: Record<string, string> = {},
): Promise<Target> {
  const port = await freePort()
  const child = startScript('local/main.ts', [], {
    ...{ PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false' },
    ...settings,
  })
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

/** Fields of /proc/PID/status: resident memory, and the part of it that is no page of a file. */
type MemoryField = 'VmRSS' | 'RssAnon'

/**
 * Memory of a process and of those that it has started, MB. Linux only. Of the latter without pages of files,
 * which they share with it.
 */
export function memoryMb(pid: number, field: MemoryField = 'VmRSS'): number {
  const started = childrenOf(pid).reduce((sum, child) => sum + kilobytes(child, 'RssAnon'), 0)
  return Math.round((kilobytes(pid, field) + started) / 1024)
}

function kilobytes(pid: number, field: MemoryField): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readProc(pid, 'status'))?.[1] ?? 0)
}

/**
 * Measures the memory of a process and of its child processes again and again. `stop` ends that and returns
 * the largest sum, MB. `parts` describes this sum: the resident memory of the process, how much of it is not
 * backed by a file, and the memory of the child processes.
 */
export function watchMemory(pid: number): { stop(): number; parts(): string } {
  let most = 0
  let parts = ''
  const look = (): void => {
    const now = memoryMb(pid)
    if (now <= most) return
    most = now
    const [own, anonymous] = [kilobytes(pid, 'VmRSS'), kilobytes(pid, 'RssAnon')].map(kb =>
      Math.round(kb / 1024),
    )
    parts = `service ${own} MB, of which ${anonymous} MB are no pages of files; compaction ${now - (own ?? 0)} MB`
  }
  const timer = setInterval(look, 200)
  return {
    stop() {
      clearInterval(timer)
      look()
      return most
    },
    parts: () => parts,
  }
}

/**
 * Processor time that all threads of a process and of those that it has started have used, ms. Linux only.
 * After the name of the program, which ends with a bracket, /proc/PID/stat has utime, stime, and those of
 * children that have ended, as fields 11 to 14, in hundredths of a second.
 */
export function processorMs(pid: number): number {
  const times = [pid, ...childrenOf(pid)].flatMap(id => {
    const text = readProc(id, 'stat')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
  })
  return times.reduce((sum, time) => sum + Number(time) * 10, 0)
}

/** The processes that the threads of a process have started, as the process of compaction. */
function childrenOf(pid: number): number[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  return threads.flatMap(thread =>
    readProc(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

/** Empty for a process or a thread that has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
