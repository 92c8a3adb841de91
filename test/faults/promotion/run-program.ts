import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { EMULATOR_ACCESS } from '#test/support/emulators'

/**
 * Runs a program of this folder to its end, with access to emulators. `code` null: it was killed. `ending`:
 * what it has printed.
 */
export async function runProgram(
  name: string,
  env: Record<string, string>,
): Promise<{ code: number | null; ending: string }> {
  const program = join(import.meta.dirname, name)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: {
      ...process.env,
      AWS_REGION: EMULATOR_ACCESS.region,
      AWS_ACCESS_KEY_ID: EMULATOR_ACCESS.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_ACCESS.credentials.secretAccessKey,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>(done => child.once('exit', done))
  const output = await text(child.stdout)
  return { code: await exited, ending: output.trim() }
}
