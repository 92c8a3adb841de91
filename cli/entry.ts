import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Problem } from './errors.ts'
import type { Io, ProgramOutput } from './io.ts'
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
  pid: process.pid,
  isRunning,
  interrupt: () => void process.kill(process.pid, 'SIGINT'),
  atExit(restore) {
    process.once('exit', restore)
    return () => void process.off('exit', restore)
  },
  handOver,
}

// An exit through process.exit restores the terminal.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
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

/** The nearest folder above that has the service. */
function findService(folder: string): string | null {
  if (existsSync(join(folder, 'local/backup/main.ts'))) return folder
  return dirname(folder) === folder ? null : findService(dirname(folder))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function handOver(program: string, args: readonly string[], output?: ProgramOutput): Promise<number> {
  const listeners = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', ignore)
  try {
    const to = output === undefined ? 'inherit' : 'pipe'
    const child = spawn(program, args, { stdio: ['inherit', to, to] })
    if (output !== undefined) {
      child.stdout?.pipe(output.stdout, { end: false })
      child.stderr?.pipe(output.stderr, { end: false })
    }
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener)
  }
}

function ignore(): void {}
