import { execFile, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '#test/support/eventually'

const run = promisify(execFile)

const VERSION = '1.5.33'
/** Where it is installed once for all checkouts of this user. */
const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'footfall',
  `ministack-${VERSION}`,
)
/** Node 24 of this checkout, under which the emulator runs the functions. */
export const NODE_FOLDER = resolve(import.meta.dirname, '../node_modules/.bin')

/**
 * Where the emulator listens. Its addresses, those of queues for example, name localhost with its port: there the gate
 * stands (rehearsal/gate.ts), and the emulator at another address of loopback, which Linux has many of.
 */
const HOST = '127.0.0.2'

export type MiniStack = {
  /** Past the gate. */
  endpoint: string
  /** What it and the functions have printed. */
  logFile: string
  stop(): Promise<void>
}

export type MiniStackOptions = {
  /** For all files that it writes. */
  folder: string
  port: number
  /** Given to it and, by it, to every function. */
  env: Record<string, string>
}

/** Starts the emulator. */
export async function startMiniStack({ folder, port, env }: MiniStackOptions): Promise<MiniStack> {
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true })
  const logFile = join(folder, 'ministack.log')
  const log = openSync(logFile, 'a')
  const child = spawn(join(CACHE, 'bin', 'ministack'), {
    // A group of its own: the functions' processes end with it.
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
      // Functions stay warm, as on AWS.
      LAMBDA_WARM_TTL_SECONDS: '900',
      ...env,
    },
  })
  let ended = false
  const exited = new Promise<void>(resolve => {
    child.on('error', () => resolve())
    child.on('exit', () => {
      ended = true
      resolve()
    })
  })
  const endpoint = `http://${HOST}:${port}`
  async function stop(): Promise<void> {
    killGroup(child.pid, 'SIGTERM')
    const late = setTimeout(() => killGroup(child.pid, 'SIGKILL'), 5_000)
    await exited
    clearTimeout(late)
    // What it leaves behind when it ends first.
    killGroup(child.pid, 'SIGKILL')
  }
  try {
    await eventually(
      async () => {
        if (ended) return
        await fetch(`${endpoint}/_ministack/health`)
      },
      { timeoutMs: 60_000, everyMs: 200 },
    )
    if (ended) throw new Error(`MiniStack ended; see ${logFile}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoint, logFile, stop }
}

/** Runs a program of Python with the libraries that came with the emulator, and gives what it prints. */
export async function runPython(program: string, args: string[]): Promise<string> {
  const { stdout } = await run(join(CACHE, 'bin', 'python'), ['-c', program, ...args])
  return stdout
}

/** From PyPI, the first time; before anything else here is called. Its command comes last, so an install that was cut short is begun again. */
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
    throw new Error(`MiniStack could not be installed; it needs PyPI and Python's venv:\n${reason}`)
  }
}

async function findPython(): Promise<string> {
  for (const name of ['python3', 'python']) {
    const found = await run(name, ['-c', 'import sys; print(sys.version_info >= (3, 10))']).catch(() => null)
    if (found?.stdout.trim() === 'True') return name
  }
  throw new Error('The rehearsal needs Python 3.10 or newer with venv and pip (python3)')
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
