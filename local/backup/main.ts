import '../modules.mjs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FolderError } from '#local/lock'
import { s3Address } from './s3-address.ts'

/**
 * What `footfall backup`, `footfall restore` and `footfall verify` run: a process of its own, on the Node of
 * the service. The exit code is 0, or 1 when it failed, and when a verified copy is not good.
 */

const USE = `Use: backup FOLDER|s3://BUCKET/PREFIX [--data FOLDER] [--keep N] [--key-file FILE] [--json]
     restore COPY [--data FOLDER] [--key-file FILE] [--json]
     verify COPY [--key-file FILE] [--json]`
const KEEP = '7'

type Answer = { json: object; lines: string[]; isGood: boolean }

process.umask(0o077)
try {
  const { json, lines, isGood } = await run()
  const texts = process.argv.includes('--json') ? [JSON.stringify(json)] : lines
  process.stdout.write(`${texts.join('\n')}\n`)
  process.exitCode = isGood ? 0 : 1
} catch (error) {
  process.stderr.write(`${operatorMessage(error)}\n`)
  process.exitCode = 1
}

async function run(): Promise<Answer> {
  const { values, positionals } = parseLine()
  const [name, place, ...rest] = positionals
  if (place === undefined || rest.length > 0) throw new FolderError(USE, null)
  const dataDir = resolve(values.data ?? (process.env.DATA_DIR || '.footfall'))
  const { readKeyFile } = await import('./sealing.ts')
  const keyFile = values['key-file']
  const key = keyFile === undefined ? null : readKeyFile(keyFile)
  if (name === 'backup')
    return backUp(dataDir, s3Address(place) === null ? resolve(place) : place, values.keep ?? KEEP, key)
  if (name === 'restore') {
    const { restoreCopy } = await import('./restore-copy.ts')
    const restored = await restoreCopy({ from: place, dataDir, key })
    return {
      json: restored,
      lines: [
        `Restored ${counted(restored)} of ${restored.copy} into ${dataDir}.`,
        'Start the service on it. Credentials that were revoked after the copy work again: see docs/one-machine.md, Backup and restore.',
      ],
      isGood: true,
    }
  }
  if (name === 'verify') return verify(place, key)
  throw new FolderError(USE, null)
}

type Key = import('node:crypto').KeyObject | null

async function backUp(dataDir: string, backups: string, keep: string, key: Key): Promise<Answer> {
  if (!/^[1-9]\d{0,3}$/.test(keep)) throw new FolderError('--keep takes a number from 1 to 9999.', null)
  const [{ makeBackup }, { askService }, { noteBackup }] = await Promise.all([
    import('./make-backup.ts'),
    import('./ask-service.ts'),
    import('#local/watch/last-backup'),
  ])
  const readCounts = () => askService(dataDir)
  const startedAt = Date.now()
  const made = await makeBackup({ dataDir, backups, keep: Number(keep), key, readCounts })
  noteBackup(dataDir, startedAt)
  const count = made.isCounted
    ? 'It has what the service counted by day, for footfall verify.'
    : 'No service answered, so footfall verify can count its events but not compare them.'
  return {
    json: made,
    lines: [made.copy, `${counted(made)}; new since the copy before: ${counted(made.added)}. ${count}`],
    isGood: true,
  }
}

async function verify(from: string, key: Key): Promise<Answer> {
  const { verifyCopy } = await import('./verify-copy.ts')
  const verdict = await verifyCopy({ from, key })
  const { copy, problems, events, projects, days, isCounted } = verdict
  const isGood = problems.length === 0
  const compared = isCounted
    ? 'as many on each day as the service counted when the copy was made'
    : 'not compared, because no service ran when the copy was made'
  const found = `${events} events of ${projects} projects on ${days} days, ${compared}.`
  return {
    json: verdict,
    lines: isGood
      ? [`${copy} is good: ${counted(verdict)}.`, found]
      : [`${copy} is not good. Keep an older copy, and make a new one.`, ...problems],
    isGood,
  }
}

function counted({ files, bytes }: { files: number; bytes: number }): string {
  return `${files} files with ${(bytes / 1e6).toFixed(1)} MB`
}

function parseLine() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: { data: text, keep: text, 'key-file': text, json: { type: 'boolean' } },
    })
  } catch (error) {
    throw new FolderError(`${(error as Error).message}\n${USE}`, error)
  }
}

/** An error that the operator can fix has a message for them. Any other error is our bug, or of the disk. */
function operatorMessage(error: unknown): string {
  if (error instanceof FolderError) return error.message
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return `The disk is full (${message}). Make room, and run it again.`
  if (code === 'EACCES' || code === 'EPERM')
    return `This user may not do that (${message}). Run it as the user of the service, or as root.`
  return stack ?? String(error)
}
