import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Credentials } from '#schemas/owner'
import type { SmallDisk } from './small-disk.ts'

export type Service = {
  baseUrl: string
  credentials: Credentials
  dataDir: string
  pid: number
  /** What it has printed so far, errors included. Comes by pipes: it may be later than an answer that it tells of. */
  output(): string
  /** Stops it as Ctrl-C does, and resolves with its exit code. */
  stop(): Promise<number | null>
  /** Kills it by SIGKILL, and resolves when the process is gone. */
  kill9(): Promise<void>
  /** Reads no more of what it prints: as when a pager has ended, every further line is an error to it. */
  hangUp(): void
}

export type ServiceOptions = {
  /** Data folder of an earlier start; default: a new one, which cleanUp deletes. */
  dataDir?: string
  /** Fill the demo project with traffic; without it the project is there, and empty. */
  seed?: boolean
  /** A port to keep over restarts; default: a free one. */
  port?: number
  env?: Record<string, string>
  /** A disk of its own for the data folder. */
  disk?: SmallDisk
  /** User id of the process; default: that of the test. */
  uid?: number
}

const MAIN = resolve(import.meta.dirname, '../../local/main.ts')
/** Ends the wait for a service that hangs. A busy machine must not reach it. */
const START_TIMEOUT_MS = 120_000
const folders: string[] = []
const running = new Set<ChildProcess>()

export type Launch = {
  /** Resolves once it takes requests; rejects with its output when it ends before. */
  ready: Promise<Service>
  kill9(): Promise<void>
  /** Stops it as Ctrl-C does in the moment in which it has printed this; resolves with its exit code. */
  stopAt(printed: RegExp): Promise<number | null>
}

/** Starts the real service as a process of its own and resolves once it takes requests. */
export function startService(options: ServiceOptions = {}): Promise<Service> {
  return launchService(options).ready
}

/** Starts the real service and gives it at once, for tests that do not let it come up. */
export function launchService(options: ServiceOptions = {}): Launch {
  const dataDir = options.dataDir ?? newFolder()
  const { child, output, exited } = spawnService({ ...options, dataDir })
  const kill9 = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const credentialsFile = (pid: number) => {
    const path = join(dataDir, 'credentials.json')
    return options.disk?.pathOf(pid, path) ?? path
  }
  const ready = untilPrinted(output, exited, /^ready /m).then(
    (): Service => {
      const credentials: Credentials = JSON.parse(readFileSync(credentialsFile(child.pid as number), 'utf8'))
      return {
        baseUrl: credentials.base_url,
        credentials,
        dataDir,
        pid: child.pid as number,
        output,
        stop() {
          child.kill('SIGINT')
          return exited
        },
        kill9,
        hangUp() {
          child.stdout.destroy()
          child.stderr.destroy()
        },
      }
    },
    async error => {
      await kill9()
      throw error
    },
  )
  ready.catch(() => {})
  const stopAt = (printed: RegExp) => {
    child.stdout.on('data', function sendOnce() {
      if (!printed.test(output())) return
      child.stdout.off('data', sendOnce)
      child.kill('SIGINT')
    })
    return exited
  }
  return { ready, kill9, stopAt }
}

/** Starts a service that is expected to end by itself; resolves with its exit code and what it printed. */
export async function failingService(
  options: ServiceOptions,
): Promise<{ code: number | null; output: string }> {
  const { output, exited } = spawnService({ ...options, dataDir: options.dataDir ?? newFolder() })
  const code = await exited
  return { code, output: output() }
}

function spawnService(options: ServiceOptions & { dataDir: string }) {
  const { dataDir, seed = false, port = 0, env = {}, disk, uid } = options
  const plain = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN]
  const command = disk?.wrap(plain) ?? plain
  const child = spawn(command[0] as string, command.slice(1), {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    // Nothing of the test's own surroundings but what a process needs to run.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      SEED_DEMO: String(seed),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let printed = ''
  child.stdout.on('data', chunk => {
    printed += chunk
  })
  child.stderr.on('data', chunk => {
    printed += chunk
  })
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      running.delete(child)
      resolve(code)
    })
  })
  return { child, output: () => printed, exited }
}

async function untilPrinted(output: () => string, exited: Promise<unknown>, wanted: RegExp): Promise<void> {
  let ended = false
  exited.then(() => {
    ended = true
  })
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!wanted.test(output())) {
    if (ended) throw new Error(`the service ended:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the service is not ready:\n${output()}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** A port that is free now, for a service that keeps it over restarts. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve((address as { port: number }).port))
    })
  })
}

/** A new folder for data, which `cleanUp` deletes. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-'))
  folders.push(folder)
  return folder
}

/** Kills what still runs and deletes the folders that were made: call it in afterAll. */
export async function cleanUp(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
