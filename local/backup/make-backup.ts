import type { KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { lakeDir, statePath } from '#local/data-folder'
import { FolderError, lockFolder } from '#local/lock'
import { BUSY_SHARD } from '#local/stream/lanes-reader'
import { LOCAL_SHARD } from '#local/stream/reader'
import { copyDatabase, joinLogs } from './copy-database.ts'
import { copiesIn, copyName, readList, UNFINISHED, writeList } from './copy-list.ts'
import { createCopyWriter, filesBelow, type Previous, syncFolder } from './copy-writer.ts'
import { expectedDays, type ReadCounts } from './expected-days.ts'
import { openSealing, type Sealing } from './sealing.ts'

export type BackupOptions = {
  dataDir: string
  /** The folder of all copies; created if needed. */
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
 * Makes a copy of a data folder, also while a service uses it: `<backups>/<time>`, which is a data folder
 * itself, unless it is sealed. The order matters (docs/one-machine.md, Backup and restore): the state first
 * and the log last, so that the log has everything that the other two miss. Objects of the lake never change,
 * so one that the copy before has becomes a hard link to it. A run that is killed leaves a folder that the
 * next one deletes. Throws FolderError when the operator can fix the problem.
 */
export async function makeBackup({
  dataDir,
  backups,
  keep,
  key,
  readCounts,
}: BackupOptions): Promise<Backup> {
  assertFolders(dataDir, backups)
  const lock = lockBackups(backups)
  const copy = join(backups, copyName(new Date()))
  const folder = copy + UNFINISHED
  // In the data folder, because databases are not sealed yet.
  const work = join(dataDir, `backup${UNFINISHED}`)
  try {
    await deleteUnfinished(backups)
    await rm(work, { recursive: true, force: true })
    for (const each of [work, folder]) mkdirSync(each, { mode: 0o700 })
    const sealing = openSealing(key)
    const writer = createCopyWriter(folder, sealing, await readPrevious(backups, sealing, work))
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
    await writeList(folder, { made_at: new Date().toISOString(), files, days }, sealing)
    await syncFolder(folder, { deep: true })
    renameSync(folder, copy)
    await syncFolder(backups)
    for (const old of copiesIn(backups).slice(0, -keep)) await rm(old, { recursive: true })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { copy, files: files.length, bytes, added: writer.added, isCounted: days !== null }
  } finally {
    for (const each of [work, folder]) await rm(each, { recursive: true, force: true })
    lock.release()
  }
}

/** Locks a folder of copies for this process. Throws FolderError when another one has it. */
export function lockBackups(backups: string) {
  return lockFolder(backups, {
    busy: folder => `Another backup or verification uses ${folder}. Wait until it has ended.`,
    denied: (folder, reason) =>
      `The folder ${folder} cannot be written (${reason}). Name a folder that can be written.`,
  })
}

/** Deletes what a killed run left. Call it with the lock of the folder. */
export async function deleteUnfinished(backups: string): Promise<void> {
  for (const name of readdirSync(backups))
    if (name.endsWith(UNFINISHED)) await rm(join(backups, name), { recursive: true })
}

function assertFolders(dataDir: string, backups: string): void {
  // SQLite would create what is not there.
  if (!existsSync(statePath(dataDir)))
    throw new FolderError(
      `${dataDir} is no data folder of Footfall: it has no state.db. Name the folder of DATA_DIR with --data.`,
      null,
    )
  if (`${resolve(backups)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
    throw new FolderError(`${backups} is inside the data folder. Name a folder outside of it.`, null)
}

/** The newest copy, if this key opens its list. With another key, or none, a copy begins anew. */
async function readPrevious(backups: string, sealing: Sealing, scratch: string): Promise<Previous | null> {
  const copy = copiesIn(backups).at(-1)
  if (copy === undefined) return null
  try {
    const { files } = await readList(copy, sealing, scratch)
    return { copy, files: new Map(files.map(file => [file.path, file])) }
  } catch (error) {
    if (error instanceof FolderError) return null
    throw error
  }
}
