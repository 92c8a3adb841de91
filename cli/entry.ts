import { type ChildProcess, spawn } from 'node:child_process'
import { constants, homedir } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Problem } from './errors.ts'
import { findService } from './find-service.ts'
import type { Io } from './io.ts'
import { main } from './main.ts'
import { printProblem } from './print/problem.ts'

/** What `footfall` runs: the command line in a process of its own. Only this file knows the process. */

const io: Io = {
  args: process.argv.slice(2),
  env: process.env,
  // Most commands read nothing, and Node opens the stream at the first look at it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  fetch,
  clock: { now: Date.now, sleep },
  platform: process.platform,
  home: homedir,
  // Few commands need it.
  get service() {
    return findService(dirname(fileURLToPath(import.meta.url)))
  },
  node: { program: process.execPath, version: process.versions.node, arch: process.arch },
  pid: process.pid,
  isRunning,
  interrupt: () => void process.kill(process.pid, 'SIGINT'),
  atExit(restore) {
    process.once('exit', restore)
    return () => void process.off('exit', restore)
  },
  handOver,
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How often this process looks whether npm is still there, ms. */
const LOOK_MS = 250
/** The program that has taken the place of this process. */
let program: ChildProcess | null = null

for (const signal of SIGNALS) process.on(signal, end)
// A reader that ends early, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  printProblem(outputProblem(error), io)
  process.exit(1)
})
// Without stderr there is no place for a message.
process.stderr.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = await main(io)

function outputProblem({ code }: NodeJS.ErrnoException): Problem {
  return {
    error: 'OUTPUT_UNWRITABLE',
    message: `The result cannot be written (${code}).`,
    suggested_action: 'Write it to another place. A command that changes something has done its work.',
    retryable: false,
  }
}

/** Passes a signal on to the program. Without one the process ends: process.exit restores the terminal. */
function end(signal: (typeof SIGNALS)[number]): void {
  if (program === null) process.exit(128 + constants.signals[signal])
  // A terminal sends Ctrl-C to the program too.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) program.kill(signal)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function handOver(...[path, args, output, env]: Parameters<Io['handOver']>): Promise<number> {
  const to = output === undefined ? 'inherit' : 'pipe'
  const child = spawn(path, args, { stdio: ['inherit', to, to], env: { ...process.env, ...env } })
  program = child
  // npm passes signals to its shell, and the shell none to this process.
  const parent = process.ppid
  const look = () => void (process.ppid !== parent && child.kill('SIGTERM'))
  const timer = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(look, LOOK_MS)
  try {
    if (output !== undefined) {
      child.stdout?.pipe(output.stdout, { end: false })
      child.stderr?.pipe(output.stderr, { end: false })
    }
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code => resolve(code ?? 1))
    })
  } finally {
    clearInterval(timer)
    program = null
  }
}
