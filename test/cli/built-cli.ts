import { spawn } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { buildCommandLine } from '#cli/build'
import { onceARun } from '#test/setup/once-a-run'

export type Result = { code: number | null; stdout: string; stderr: string }

/** Returns the path of the built command line, which all tests of the run share. */
export async function builtCommandLine(): Promise<string> {
  const folder = await onceARun('cli', async path => {
    await buildCommandLine(path)
  })
  return join(folder, 'footfall.mjs')
}

/** Returns a folder for PATH in which `footfall` is the built file. */
export async function installedCommand(): Promise<string> {
  const file = await builtCommandLine()
  return onceARun('cli-path', async folder => {
    chmodSync(file, 0o755)
    symlinkSync(file, join(folder, 'footfall'))
    // The first line of the file asks for node, which is the one of the tests.
    symlinkSync(process.execPath, join(folder, 'node'))
  })
}

export type Runner = (args: readonly string[], env?: Record<string, string>) => Promise<Result>

/** Runs the built file in a process and a pipe, with nothing of the tester's environment but the path. */
export async function createProcessRunner(baseEnv: Record<string, string>): Promise<Runner> {
  const file = await builtCommandLine()
  return (args, env = {}) =>
    runProcess(process.execPath, [file, ...args], {
      PATH: process.env.PATH as string,
      HOME: join(inject('runFolder'), 'no-home'),
      // The keychain of the tester is not touched.
      AA_CREDENTIAL_STORE: 'file',
      ...baseEnv,
      ...env,
    })
}

/** Runs a process to its end. Its stdin is closed, as that of an agent's tool. */
export function runProcess(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const result = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        result[name] += text
      })
    }
    child.on('error', reject)
    child.on('close', code => resolve({ code, ...result }))
  })
}
