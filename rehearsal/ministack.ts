import { execFile, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '#test/support/eventually'
import { MINISTACK_PROGRAM } from './ministack-program.ts'

const run = promisify(execFile)

const VERSION = '1.5.33'
/** The emulator is installed here, once for all checkouts of this user. */
const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'footfall',
  `ministack-${VERSION}`,
)
/** Folder of this checkout's Node 24. The emulator runs the functions with it. */
export const NODE_FOLDER = resolve(import.meta.dirname, '../node_modules/.bin')

/**
 * The loopback address of the emulator. URLs in its responses, such as those of queues, name localhost with
 * its port. The gate (rehearsal/gate.ts) listens there, so the emulator needs another loopback address with
 * the same port. On Linux, every address in 127.0.0.0/8 works.
 */
const HOST = '127.0.0.2'

export type MiniStack = {
  /** The emulator's own address, without the gate. */
  endpoint: string
  /** Output of the emulator and the functions. */
  logFile: string
  stop(): Promise<void>
}

export type MiniStackOptions = {
  /** Folder for all files of the emulator. */
  folder: string
  port: number
  /** Environment variables for the emulator and for every function. */
  env: Record<string, string>
}

/** Starts the emulator. */
export async function startMiniStack({ folder, port, env }: MiniStackOptions): Promise<MiniStack> {
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true })
  const logFile = join(folder, 'ministack.log')
  const log = openSync(logFile, 'a')
  const child = spawn(join(CACHE, 'bin', 'python'), ['-c', MINISTACK_PROGRAM], {
    // Its own process group, so that stop() also ends the processes of the functions.
    detached: true,
    stdio: ['ignore', log, log],
    cwd: folder,
    env: {
      PATH: `${NODE_FOLDER}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: temporary,
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
      GATEWAY_PORT: String(port),
      BIND_HOST: HOST,
      IOT_MTLS_ENABLED: '0',
      // Functions stay warm for 15 minutes, like on AWS.
      LAMBDA_WARM_TTL_SECONDS: '900',
      // The quota that an account of AWS has. The emulator's own depends on the memory of this machine.
      LAMBDA_ACCOUNT_CONCURRENCY: '1000',
      ...env,
    },
  })
  let hasExited = false
  const exited = new Promise<void>(resolve => {
    child.on('error', () => resolve())
    child.on('exit', () => {
      hasExited = true
      resolve()
    })
  })
  const endpoint = `http://${HOST}:${port}`
  async function stop(): Promise<void> {
    killGroup(child.pid, 'SIGTERM')
    const killTimer = setTimeout(() => killGroup(child.pid, 'SIGKILL'), 5_000)
    await exited
    clearTimeout(killTimer)
    // Ends processes that the emulator left behind.
    killGroup(child.pid, 'SIGKILL')
  }
  try {
    await eventually(
      async () => {
        if (hasExited) return
        await fetch(`${endpoint}/_ministack/health`)
      },
      { timeoutMs: 60_000, everyMs: 200 },
    )
    if (hasExited) throw new Error(`MiniStack has ended. See ${logFile}.`)
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoint, logFile, stop }
}

/** Runs a Python program with the emulator's libraries and returns its output. */
export async function runPython(program: string, args: string[]): Promise<string> {
  const { stdout } = await run(join(CACHE, 'bin', 'python'), ['-c', program, ...args])
  return stdout
}

/**
 * Installs the emulator from PyPI, unless it is there. Call it before the other functions here. pip creates
 * the command last, so an interrupted install starts again.
 */
export async function installMiniStack(): Promise<void> {
  if (existsSync(join(CACHE, 'bin', 'ministack'))) return
  console.log(`Installing MiniStack ${VERSION} from PyPI into ${CACHE} (215 MB) …`)
  const python = await findPython()
  await rm(CACHE, { recursive: true, force: true })
  try {
    await run(python, ['-m', 'venv', CACHE])
    await run(join(CACHE, 'bin', 'python'), ['-m', 'pip', 'install', '-q', `ministack[full]==${VERSION}`])
  } catch (error) {
    await rm(CACHE, { recursive: true, force: true })
    const reason = (error as { stderr?: string }).stderr ?? String(error)
    throw new Error(`The installation of MiniStack failed. It needs PyPI and Python's venv:\n${reason}`)
  }
}

async function findPython(): Promise<string> {
  for (const name of ['python3', 'python']) {
    const result = await run(name, ['-c', 'import sys; print(sys.version_info >= (3, 10))']).catch(() => null)
    if (result?.stdout.trim() === 'True') return name
  }
  throw new Error('The rehearsal needs Python 3.10 or newer, with venv and pip. Install python3.')
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
