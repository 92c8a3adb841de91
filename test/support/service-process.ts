import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import type { Credentials } from '#schemas/owner'
import { isFirstCall } from '#test/setup/first-call'
import { noteProcess } from '#test/setup/run-processes'
import { addWitness } from './eventually.ts'
import type { SmallDisk } from './small-disk.ts'

export type Service = {
  baseUrl: string
  credentials: Credentials
  dataDir: string
  pid: number
  /**
   * Its output so far, with errors. Output comes through a pipe, so it may arrive after the response that it
   * is about.
   */
  output(): string
  /** Stops it as Ctrl-C does. Resolves with its exit code, and rejects when it does not end. */
  stop(): Promise<number | null>
  /** Kills it with SIGKILL, and resolves when the process has ended. */
  kill9(): Promise<void>
  /** Closes its output, as a pager does that ends. Every later line is an error for the service. */
  closeOutput(): void
}

export type ServiceOptions = {
  /** Data folder of an earlier start. Default: a new one, which cleanUp deletes. */
  dataDir?: string
  /** Fills the demo project with traffic. Default: false, so the project exists but is empty. */
  seed?: boolean
  /** A port to keep over restarts. Default: a free one. */
  port?: number
  env?: Record<string, string>
  /** A small disk for the data folder. */
  disk?: SmallDisk
  /** Most files that the process may have open. Default: as many as the test. */
  fileLimit?: number
  /** User id of the process. Default: that of the test. */
  uid?: number
  /** Whether other files use it too: `cleanUp` leaves it, and the end of the run ends it. Default: false. */
  isShared?: boolean
}

/** What `npm start` gives to Node to run the service. */
export const NODE_ARGS = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  pathToFileURL(resolve(import.meta.dirname, '../../local/modules.mjs')).href,
  resolve(import.meta.dirname, '../../local/main.ts'),
]
/** Ends the wait for a service that hangs. It is long, so that a busy machine does not reach it. */
const HANG_TIMEOUT_MS = 240_000
/** So many of its last lines are in the error of a wait that ends without success. */
const WITNESSED_LINES = 15
const folders: string[] = []
const running = new Set<ChildProcess>()
/** Removes what the services add to the errors of waits. */
const witnesses: (() => void)[] = []

export type Launch = {
  /** Resolves when it accepts requests. Rejects with its output when it ends before that, or hangs. */
  ready: Promise<Service>
  /** Resolves when its output matches. Rejects as `ready` does. */
  printed(pattern: RegExp): Promise<void>
  kill9(): Promise<void>
  /** Stops it as Ctrl-C does, as soon as its output matches. Resolves with its exit code. */
  stopAt(pattern: RegExp): Promise<number | null>
}

/** Starts the service of one machine as a process, and resolves when it accepts requests. */
export function startService(options: ServiceOptions = {}): Promise<Service> {
  return launchService(options).ready
}

/** Starts the service and returns before it is ready, for tests that stop it during the start. */
export function launchService(options: ServiceOptions = {}): Launch {
  const dataDir = options.dataDir ?? (options.isShared ? sharedFolder() : newFolder())
  const { child, output, exited, exitCode } = spawnService({ ...options, dataDir })
  const kill9 = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const credentialsFile = (pid: number) => {
    const path = join(dataDir, 'credentials.json')
    return options.disk?.pathOf(pid, path) ?? path
  }
  const printed = (pattern: RegExp) => waitForOutput(child, output, exited, pattern)
  const ready = printed(/^ready /m).then(
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
          return exitCode()
        },
        kill9,
        closeOutput() {
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
  const stopAt = (pattern: RegExp) => {
    child.stdout.on('data', function interruptOnce() {
      if (!pattern.test(output())) return
      child.stdout.off('data', interruptOnce)
      child.kill('SIGINT')
    })
    return exitCode()
  }
  return { ready, printed, kill9, stopAt }
}

/** Starts a service that must end by itself. Resolves with its exit code and its output. */
export async function runFailingService(
  options: ServiceOptions,
): Promise<{ code: number | null; output: string }> {
  const { output, exitCode } = spawnService({ ...options, dataDir: options.dataDir ?? newFolder() })
  const code = await exitCode()
  return { code, output: output() }
}

function spawnService(options: ServiceOptions & { dataDir: string }) {
  const { dataDir, seed = false, port = 0, env = {}, disk, fileLimit, uid, isShared = false } = options
  const limit = fileLimit === undefined ? [] : ['sh', '-c', `ulimit -n ${fileLimit}; exec "$0" "$@"`]
  const nodeCommand = [...limit, process.execPath, ...NODE_ARGS]
  const command = disk?.wrap(nodeCommand) ?? nodeCommand
  const child = spawn(command[0] as string, command.slice(1), {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    // Only the variables that a process needs, so that no setting of the tester reaches the service.
    env: {
      NODE_COMPILE_CACHE: compileCache(),
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      SEED_DEMO: String(seed),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (!isShared) running.add(child)
  // The worker that has started it may end before it.
  else for (const handle of [child, child.stdout as Socket, child.stderr as Socket]) handle.unref()
  const forget = child.pid === undefined ? () => {} : noteProcess(inject('runFolder'), child.pid)
  let text = ''
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.on('data', chunk => {
      text += chunk
    })
  }
  const output = () => text
  let state = 'runs'
  const lastLines = () => text.trimEnd().split('\n').slice(-WITNESSED_LINES).join('\n')
  witnesses.push(addWitness(() => `The service ${child.pid} ${state}. Its last output:\n${lastLines()}`))
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      state = `has ended with ${signal ?? code}`
      running.delete(child)
      forget()
      resolve(code)
    })
  })

  /** Resolves when the process ends. When it hangs, kills it and rejects with its output. */
  async function exitCode(): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined
    const hang = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(new Error(`The service did not end within ${HANG_TIMEOUT_MS / 1_000} s:\n${text}`))
      }, HANG_TIMEOUT_MS)
    })
    return Promise.race([exited, hang]).finally(() => clearTimeout(timer))
  }

  return { child, output, exited, exitCode }
}

/**
 * Returns the folder of the compile cache, which saves a third of the CPU time of a start. Node writes the
 * cache only when a process ends by itself, and tests kill most services. So the first call after an
 * installation fills it: a service with a wrong setting loads its modules and ends.
 */
function compileCache(): string {
  const folder = process.env.NODE_COMPILE_CACHE as string
  const marker = join(folder, 'filled')
  if (!existsSync(marker) && isFirstCall(join(inject('runFolder'), 'compile-cache.filled'))) {
    spawnSync(process.execPath, NODE_ARGS, {
      env: { NODE_COMPILE_CACHE: folder, DATA_DIR: join(inject('runFolder'), 'unused'), PORT: 'wrong' },
      timeout: HANG_TIMEOUT_MS,
    })
    writeFileSync(marker, '')
  }
  return folder
}

/** Resolves when the output matches. Rejects with the output when the process ends before that, or hangs. */
async function waitForOutput(
  child: ChildProcess,
  output: () => string,
  exited: Promise<number | null>,
  pattern: RegExp,
): Promise<void> {
  const matched = Promise.withResolvers<void>()
  const look = () => {
    if (pattern.test(output())) matched.resolve()
  }
  const fail = (what: string) => matched.reject(new Error(`The service ${what}:\n${output()}`))
  const hang = setTimeout(
    fail,
    HANG_TIMEOUT_MS,
    `did not print ${pattern} within ${HANG_TIMEOUT_MS / 1_000} s`,
  )
  exited.then(code => fail(`ended with ${code}, before it printed ${pattern}`), matched.reject)
  child.stdout?.on('data', look)
  look()
  try {
    await matched.promise
  } finally {
    clearTimeout(hang)
    child.stdout?.off('data', look)
  }
}

/** Creates a data folder, which `cleanUp` deletes. */
export function newFolder(): string {
  const folder = sharedFolder()
  folders.push(folder)
  return folder
}

/** Creates a data folder for a shared service, which the end of the run deletes. */
export function sharedFolder(): string {
  return mkdtempSync(join(tmpdir(), 'footfall-'))
}

/**
 * Kills all services that still run, except the shared one, and deletes the data folders. Call it in
 * afterAll.
 */
export async function cleanUp(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  for (const remove of witnesses.splice(0)) remove()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
