import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, inject } from 'vitest'
import type { Credentials } from '#schemas/owner'
import { onceARun } from '#test/setup/once-a-run'
import { noteProcess } from '#test/setup/run-processes'
import { eventually } from './eventually.ts'
import type { Service } from './service-process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Of a clone that somebody works in. */
const LEFT_OUT = ['node_modules', 'test', 'build', 'cdk.out', '.git', '.footfall']

/** A clone with the packages of the service alone, by `npm ci --omit=dev`; all tests of the run share it. */
export function serviceClone(): Promise<string> {
  return onceARun('service-clone', async clone => {
    for (const name of readdirSync(ROOT).filter(each => !LEFT_OUT.includes(each)))
      cpSync(join(ROOT, name), join(clone, name), { recursive: true })
    const words = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    await runIn(clone, 'npm', words)
  })
}

export type Run = { env?: Record<string, string>; uid?: number }

/** Runs a program in a folder with a small environment. Returns its output; fails unless it ends with 0. */
export async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
  { env = {}, uid }: Run = {},
): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const output = collect(child)
  const [code] = await once(child, 'close')
  expect({ program, args, code, output: output() }).toMatchObject({ code: 0 })
  return output()
}

export type StartedService = Pick<Service, 'baseUrl' | 'credentials' | 'dataDir' | 'output'> & {
  /** Of the program, which may have started the service as another process. */
  pid: number
  /** Sends SIGTERM to the program. Resolves with its exit code. */
  end(): Promise<number | null>
}

/** Starts a service by a program, and resolves when it is ready. `env` has its DATA_DIR. */
export async function startIn(
  cwd: string,
  program: string,
  args: readonly string[],
  { env, uid }: Run & { env: { DATA_DIR: string } },
): Promise<StartedService> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  noteProcess(inject('runFolder'), child.pid as number)
  const output = collect(child)
  await eventually(() => expect(output()).toMatch(/^ready /m))
  noteProcess(inject('runFolder'), Number(/^process +(\d+)$/m.exec(output())?.[1]))
  const credentials: Credentials = JSON.parse(readFileSync(join(env.DATA_DIR, 'credentials.json'), 'utf8'))
  return {
    ...{ credentials, baseUrl: credentials.base_url, dataDir: env.DATA_DIR, output },
    pid: child.pid as number,
    async end() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      return (await ended)[0] as number | null
    },
  }
}

function collect(child: ReturnType<typeof spawn>): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  return () => output
}

/** The megabytes of a folder; a file with several names counts once. */
export function megabytesOf(folder: string): number {
  const inodes = new Map<number, number>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const { ino, size } = lstatSync(join(entry.parentPath, entry.name))
    inodes.set(ino, size)
  }
  return [...inodes.values()].reduce((sum, size) => sum + size, 0) / 1e6
}
