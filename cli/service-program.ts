import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from './errors.ts'
import type { Io, ProgramOutput } from './io.ts'

/**
 * Runs a program of the service, on the Node of the service: it opens data or settings, whose code is not in
 * the command line. `file` is below the folder of the service, `name` the command for the message. `output`:
 * in the place of stdout and stderr. Resolves with the exit code of the program.
 */
export async function runServiceProgram(
  file: string,
  name: string,
  { service, handOver }: Pick<Io, 'service' | 'handOver'>,
  args: readonly string[],
  output?: ProgramOutput,
): Promise<number> {
  if (service === null)
    throw new CommandError({
      error: 'NO_SERVICE',
      message: 'The service is not installed beside this command line, and this command needs its code.',
      suggested_action: `In the folder of the service: npm run build:cli, then node build/cli/footfall.mjs ${name}`,
    })
  const node = join(service, 'node_modules/.bin/node')
  return handOver(
    existsSync(node) ? node : 'node',
    ['--disable-warning=ExperimentalWarning', join(service, file), ...args],
    output,
  )
}
