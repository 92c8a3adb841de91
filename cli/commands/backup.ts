import { resolve } from 'node:path'
import type { Argument, Flag, Input, RunCommand } from '#cli/command'
import { dataFolder } from '#cli/http/base-url'
import type { Session } from '#cli/run-context'
import { runServiceProgram } from '#cli/service-program'

/**
 * Copies of the data of one machine. Their code belongs to the service, because it opens the data with the
 * engine of the service. So these commands run a program of the folder in which the command line was built.
 */

const DATA: Flag = {
  flags: '--data <folder>',
  help: 'data folder of the service (default: DATA_DIR, else .footfall)',
}
const KEY: Flag = {
  flags: '--key-file <file>',
  help: 'the key that seals the copy: 64 hexadecimal digits, from openssl rand -hex 32',
}
const COPY: Argument = {
  name: 'COPY',
  help: 'a copy, or the folder or s3://bucket/prefix of all copies: the newest one',
}

export const backupCommands: readonly RunCommand[] = [
  {
    name: 'backup',
    group: 'Tools',
    effect: 'local',
    args: [
      { name: 'FOLDER', help: 'where all copies are: not inside the data folder, or s3://bucket/prefix' },
    ],
    flags: [DATA, { flags: '--keep <n>', as: 'whole', help: 'how many copies stay (default: 7)' }, KEY],
    summary: 'A copy of all data, also while the service runs; files that an earlier copy has are shared',
    example: 'backup /tmp/footfall-backups',
    run: (input, session) => runProgram('backup', input.args.FOLDER, input, session),
  },
  {
    name: 'restore',
    group: 'Tools',
    effect: 'local',
    args: [COPY],
    flags: [DATA, KEY],
    summary: 'Puts a copy into a new or empty data folder, on which no service runs',
    example: 'restore /tmp/footfall-backups --data /tmp/footfall-restored',
    run: (input, session) => runProgram('restore', input.args.COPY, input, session),
  },
  {
    name: 'verify',
    group: 'Tools',
    effect: 'local',
    args: [COPY],
    flags: [KEY],
    summary: 'Opens a copy, and compares its files and its events by day with those of the service',
    example: 'verify /tmp/footfall-backups',
    run: (input, session) => runProgram('verify', input.args.COPY, input, session),
  },
]

async function runProgram(
  name: string,
  place: string | undefined,
  { options }: Input,
  session: Session,
): Promise<void> {
  const { io, globals } = session
  const keyFile = options.keyFile === undefined ? [] : ['--key-file', resolve(String(options.keyFile))]
  session.exitCode = await runServiceProgram('local/backup/main.ts', name, io, [
    name,
    placeOf(place ?? ''),
    ...(name === 'verify' ? [] : ['--data', resolve(String(options.data ?? dataFolder(io.env)))]),
    ...(options.keep === undefined ? [] : ['--keep', String(options.keep)]),
    ...keyFile,
    ...(globals.json === true ? ['--json'] : []),
  ])
}

/** A folder by its whole path; an address as it is. */
function placeOf(place: string): string {
  return place.startsWith('s3:') ? place : resolve(place)
}
