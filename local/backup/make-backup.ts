import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { lakeDir, statePath } from '#local/data-folder'
import { FolderError } from '#local/lock'
import { BUSY_SHARD } from '#local/stream/logs-reader'
import { LOCAL_SHARD } from '#local/stream/reader'
import { copyDatabase, joinLogs } from './copy-database.ts'
import { openTarget } from './copy-target.ts'
import { createCopyWriter, filesBelow } from './copy-writer.ts'
import { expectedDays, type ReadCounts } from './expected-days.ts'
import { s3Address } from './s3-address.ts'

export type BackupOptions = {
  dataDir: string
  /** The folder of all copies, created if needed, or `s3://bucket/prefix`. */
  backups: string
  /** So many copies stay: the newest ones. */
  keep: number
  /** Seals the copy. Null: files are copied as they are. */
  key: KeyObject | null
  readCounts: ReadCounts
}

export type Backup = {
  copy: string
  files: number
  bytes: number
  /** What no earlier copy had. */
  added: { files: number; bytes: number }
  /** Whether the copy knows how many events the service counted. */
  isCounted: boolean
}

/** Keys come too: without them a copy has another API key and finds no e-mail address. */
const FILES = ['credentials.json', 'api-key', 'email-key', 'feedback.jsonl', 'seeding']
/** The logs by their shards. */
const LOGS = { [LOCAL_SHARD]: 'log.db', [BUSY_SHARD]: 'log-busy/log.db' }

/**
 * Makes a copy of a data folder, also while a service uses it. A copy in a folder is `<backups>/<time>`: a
 * data folder, if it is not sealed. s3-copies.ts describes a copy in a bucket. The state is copied first and
 * the log last, so the log has everything that the other two miss (docs/one-machine.md, Backup and restore).
 * Objects of the lake never change, so a copy takes only those that the copy before lacks. A run that is
 * killed leaves files that a later one deletes. Throws FolderError when the operator can fix the problem.
 */
export async function makeBackup({
  dataDir,
  backups,
  keep,
  key,
  readCounts,
}: BackupOptions): Promise<Backup> {
  assertFolders(dataDir, backups)
  const target = await openTarget({ backups, dataDir, key })
  const { work } = target
  try {
    const writer = createCopyWriter(target.place, target.previous)
    const before = await readCounts()
    await copyDatabase(statePath(dataDir), join(work, 'state.db'))
    await writer.take(join(work, 'state.db'), 'state.db')
    // The service may delete records from its log while we are at the lake, and put them where we have
    // looked already.
    for (const log of Object.values(LOGS)) await copyDatabase(join(dataDir, log), join(work, 'first', log))
    for (const name of FILES) await writer.take(join(dataDir, name), name)
    for await (const path of filesBelow(lakeDir(dataDir)))
      await writer.take(join(lakeDir(dataDir), path), `lake/${path}`)
    const taken: Record<string, string> = {}
    for (const [shard, log] of Object.entries(LOGS)) {
      const [first, last] = [join(work, 'first', log), join(work, log)]
      if (!(await copyDatabase(join(dataDir, log), last))) continue
      const highest = joinLogs(existsSync(first) ? first : null, last)
      if (highest !== null) taken[shard] = highest
      await writer.take(last, log)
    }
    const days = before && (await expectedDays(before, readCounts, taken))
    const files = writer.list()
    const copy = await target.finish({ made_at: new Date().toISOString(), files, days }, keep)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { copy, files: files.length, bytes, added: writer.added, isCounted: days !== null }
  } finally {
    await target.close()
  }
}

function assertFolders(dataDir: string, backups: string): void {
  // SQLite would create what is not there.
  if (!existsSync(statePath(dataDir)))
    throw new FolderError(
      `${dataDir} is no data folder of Footfall: it has no state.db. Name the folder of DATA_DIR with --data.`,
      null,
    )
  if (s3Address(backups) === null && `${resolve(backups)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
    throw new FolderError(`${backups} is inside the data folder. Name a folder outside of it.`, null)
}
