import { join, resolve } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import type { Clock, Io, Output } from '#cli/io'
import { main } from '#cli/main'
import { type Result, type Runner, runProcess } from './built-cli.ts'

/** The command line in the process of the test, in a world of its own. */

/** What a test says about the world; the rest is that of a pipe, with nothing of the tester's environment. */
export type World = Partial<Pick<Io, 'stdout' | 'stderr' | 'clock' | 'service' | 'node' | 'handOver'>> & {
  env?: Record<string, string>
  /** What another program sends. Default: nothing. */
  stdin?: string | Io['stdin']
}

/** Runs the command line to its end. Texts of streams that the test handed in are not in the result. */
export async function runHere(args: readonly string[], world: World = {}): Promise<Result> {
  const [stdout, stderr] = [new TextOutput(), new TextOutput()]
  const code = await main(ioOf(args, { stdout, stderr, ...world }))
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** Runs with these variables; each call may change some. */
export function createRunner(baseEnv: Record<string, string>, world: World = {}): Runner {
  return (args, env = {}) => runHere(args, { ...world, env: { ...baseEnv, ...env } })
}

/** A pipe that keeps what was written. */
export class TextOutput extends Writable {
  text = ''

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk)
    done()
  }
}

/**
 * A clock on which each pause passes at once. For waits whose course the test knows, not for those of others.
 */
export function skippingClock(): Clock {
  let skipped = 0
  return {
    now: () => Date.now() + skipped,
    async sleep(ms) {
      skipped += ms
    },
  }
}

function ioOf(
  args: readonly string[],
  { env: given = {}, stdin = '', ...world }: World & { stdout: Output; stderr: Output },
): Io {
  const env = {
    PATH: process.env.PATH as string,
    HOME: join(inject('runFolder'), 'no-home'),
    // The keychain of the tester is not touched.
    AA_CREDENTIAL_STORE: 'file',
    ...given,
  }
  return {
    args,
    env,
    stdin: typeof stdin === 'string' ? new PassThrough().end(stdin) : stdin,
    // As in a process of its own, no connection is an old one, which the service may have closed meanwhile.
    fetch: (url, options = {}) =>
      fetch(url, { ...options, headers: { ...options.headers, Connection: 'close' } }),
    clock: { now: Date.now, sleep },
    platform: process.platform,
    home: () => env.HOME,
    service: resolve(import.meta.dirname, '../..'),
    node: { program: process.execPath, version: process.versions.node, arch: process.arch },
    pid: process.pid,
    isRunning,
    interrupt() {
      throw new Error('The process of the tests cannot be interrupted. Use openTerminal.')
    },
    // The process of the tests does not end.
    atExit: () => () => {},
    async handOver(program, words, output = world, more = {}) {
      const { code, stdout, stderr } = await runProcess(program, words, { ...env, ...more } as Record<
        string,
        string
      >)
      output.stdout.write(stdout)
      output.stderr.write(stderr)
      return code ?? 1
    },
    ...world,
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
