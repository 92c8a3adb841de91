import { fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import type { Bundle } from '#lib/bundles'
import { endOfOutput } from './end-of-output.ts'
import type { Invocation, Outcome } from './lambda-process.ts'

export type BundleProcess = {
  /**
   * Returns the handler's result, or rejects with its error. `timeoutMs` is the remaining time in the
   * context.
   */
  invoke<R>(event: unknown, timeoutMs?: number): Promise<R>
  /** The lines that it has logged so far. */
  logged(): Record<string, unknown>[]
  /** Kills the process at once, as Lambda does when an invocation takes too long. */
  kill(): Promise<void>
}

const PROCESS = resolve(import.meta.dirname, 'lambda-process.ts')
const running = new Set<BundleProcess>()

/**
 * Starts a bundle in a Node process whose environment has only the variables in `env`. Rejects with the
 * process's error output when the start fails.
 */
export async function startBundle({ folder }: Bundle, env: Record<string, string>): Promise<BundleProcess> {
  const child = fork(PROCESS, [pathToFileURL(join(folder, 'index.mjs')).href], {
    env: {
      ...env,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: 'index.handler',
      NODE_NO_WARNINGS: '1',
      // The bundles are new in each run, and so is their cache.
      NODE_COMPILE_CACHE: join(inject('runFolder'), 'compiled-bundles'),
    },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let errors = ''
  child.stdout?.on('data', chunk => (output += chunk))
  child.stderr?.on('data', chunk => (errors += chunk))
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))

  async function nextOutcome(): Promise<Outcome> {
    return Promise.race([
      new Promise<Outcome>(resolve => child.once('message', outcome => resolve(outcome as Outcome))),
      closed.then(() => Promise.reject(new Error(`the function has ended: ${errors}`))),
    ])
  }

  /** Resolves when all that an invocation has logged is here. */
  async function outputOf(invocation: number): Promise<void> {
    const end = endOfOutput(invocation)
    const isRunning = () => child.exitCode === null && child.signalCode === null
    while (isRunning() && !(output.includes(end) && errors.includes(end))) await nextTurn()
  }

  let invocations = 0
  const process: BundleProcess = {
    async invoke<R>(event: unknown, timeoutMs = 60_000) {
      const invocation = ++invocations
      const pending = nextOutcome()
      child.send({ event, timeoutMs } satisfies Invocation)
      const outcome = await pending
      await outputOf(invocation)
      if (outcome.kind === 'error')
        throw Object.assign(new Error(outcome.errorMessage), { name: outcome.errorType })
      return (outcome.kind === 'result' ? outcome.result : undefined) as R
    },
    logged: () =>
      `${output}${errors}`
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line)),
    async kill() {
      running.delete(process)
      child.kill('SIGKILL')
      await closed
    },
  }
  running.add(process)
  await nextOutcome()
  return process
}

/** Kills all functions that still run. */
export async function stopBundles(): Promise<void> {
  await Promise.all([...running].map(process => process.kill()))
}
