import { fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bundle } from '#lib/bundles'
import type { Invocation, Outcome } from './lambda-process.ts'

export type BundledFunction = {
  /** What the handler answers; rejects with the error that it throws. `timeoutMs`: what its context says is left. */
  invoke<R>(event: unknown, timeoutMs?: number): Promise<R>
  /** The lines that it has logged so far. */
  logged(): Record<string, unknown>[]
  /** Ends the process as Lambda does when a call takes too long: at once, whatever it is doing. */
  cutOff(): Promise<void>
}

const PROCESS = resolve(import.meta.dirname, 'lambda-process.ts')
const started = new Set<BundledFunction>()

/**
 * A bundle in a plain Node process of its own that sees these variables and nothing else. Rejects with what the process
 * printed when its start fails.
 */
export async function startBundle({ folder }: Bundle, env: Record<string, string>): Promise<BundledFunction> {
  const child = fork(PROCESS, [pathToFileURL(join(folder, 'index.mjs')).href], {
    env: { ...env, LAMBDA_TASK_ROOT: folder, _HANDLER: 'index.handler', NODE_NO_WARNINGS: '1' },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let errors = ''
  child.stdout?.on('data', chunk => (output += chunk))
  child.stderr?.on('data', chunk => (errors += chunk))
  const ended = new Promise<void>(done => child.once('close', () => done()))

  async function next(): Promise<Outcome> {
    return Promise.race([
      new Promise<Outcome>(done => child.once('message', outcome => done(outcome as Outcome))),
      ended.then(() => Promise.reject(new Error(`the function has ended: ${errors}`))),
    ])
  }

  const running: BundledFunction = {
    async invoke<R>(event: unknown, timeoutMs = 60_000) {
      const outcome = next()
      child.send({ event, timeoutMs } satisfies Invocation)
      const settled = await outcome
      if (settled.kind === 'error')
        throw Object.assign(new Error(settled.errorMessage), { name: settled.errorType })
      return (settled.kind === 'answer' ? settled.answer : undefined) as R
    },
    logged: () =>
      `${output}${errors}`
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line)),
    async cutOff() {
      started.delete(running)
      child.kill('SIGKILL')
      await ended
    },
  }
  started.add(running)
  await next()
  return running
}

/** Ends all functions that were started. */
export async function stopBundles(): Promise<void> {
  await Promise.all([...started].map(running => running.cutOff()))
}
