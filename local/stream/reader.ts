import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAMAGED } from '#core/ingest/packing'
import type { EventStream, StreamEntry } from '#core/ports'
import { checksumOf, isDamage, logPath, suspectPath } from './log-file.ts'

/** The shard of the log. Projects that send much have another one (logs-reader.ts). */
export const LOCAL_SHARD = 'local'

/** Reads the log, in any thread. It has its own connection. */
export type StreamReader = Pick<EventStream, 'shards' | 'read'> & {
  /**
   * Deletes the records up to and including sequence `upTo` that were appended before `olderThan` (Unix ms).
   * Returns the number of deleted records. It uses small transactions, so appends continue in between. The
   * newest record always stays, because new sequences continue above it.
   */
  prune(upTo: string, olderThan: number): Promise<number>
  /**
   * Overwrites the records up to and including sequence `upTo` for which `change` returns other bytes, no
   * more than before. Then SQLite keeps every row in its page. It takes its time, so appends and the caller's
   * thread continue in between.
   */
  overwrite(upTo: string, change: (data: Uint8Array) => Uint8Array | null): Promise<void>
  /**
   * Removes the bytes of deleted and overwritten records from the files. After false, call it again later.
   */
  scrub(): boolean
  /** The newest records, at most `limit`, without those that are damaged. */
  newest(limit: number): StreamEntry[]
  /** When the first record after this sequence was appended, Unix ms; null without one. */
  appendedAfter(after: string | null): number | null
  /** Returns about how many bytes the records after this sequence have. The work is limited. */
  bytesAfter(after: string | null): number
  close(): void
}

/** One read returns about this many bytes at most, to limit the memory that its caller needs. */
export const READ_BYTES = 4_000_000
/** `bytesAfter` measures this many records. Further ones count as large as these on average. */
const MEASURED_ROWS = 20_000
const PRUNE_ROWS = 500
const PRUNE_PAUSE_MS = 5
/** Records that are looked at before a pause. */
const OVERWRITE_ROWS = 100
/** A scrub writes a log of this size anew, in some ms: appends wait for it. */
const VACUUM_PAGES = 1_000

/** Opens the log of the folder. Its writer (local/stream/stream.ts) must have created it. */
export function openStreamReader(dir: string, ownShard = LOCAL_SHARD): StreamReader {
  const database = new DatabaseSync(logPath(dir), { timeout: 10_000 })
  // This connection only writes deletions. A deletion that a power cut undoes is repeated later.
  // It overwrites what it deletes: a person's events must not stay in unused pages.
  // A record is read once or twice, so a small cache (KiB) is enough; two threads read two logs each.
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -256')
  const select = database.prepare(
    'SELECT sequence, checksum, data FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?',
  )
  // Reads only the oldest rows, because the statement holds the write lock, and appends wait for it.
  const remove = database.prepare(`
    DELETE FROM records WHERE sequence IN (
      SELECT sequence FROM (SELECT sequence, appended_at FROM records ORDER BY sequence LIMIT ${PRUNE_ROWS})
      WHERE sequence <= ? AND appended_at < ? AND sequence < (SELECT max(sequence) FROM records)
    )`)

  const selectNewest = database.prepare(
    'SELECT sequence, checksum, data FROM records ORDER BY sequence DESC LIMIT ?',
  )
  const nextAppended = database.prepare(
    'SELECT appended_at FROM records WHERE sequence > ? ORDER BY sequence LIMIT 1',
  )
  const update = database.prepare('UPDATE records SET checksum = ?, data = ? WHERE sequence = ?')

  async function overwrite(upTo: number, change: (data: Uint8Array) => Uint8Array | null): Promise<void> {
    for (let after = 0; ; ) {
      const page = reportDamage(() => entriesAbove(after, OVERWRITE_ROWS)).filter(
        ({ sequence }) => Number(sequence) <= upTo,
      )
      const changed = page.flatMap(({ sequence, data }) => {
        const rest = change(data)
        return rest === null ? [] : [{ sequence: Number(sequence), data: rest }]
      })
      if (changed.length > 0) reportDamage(() => updateAll(changed))
      const last = page.at(-1)
      if (last === undefined) return
      after = Number(last.sequence)
      await sleep(PRUNE_PAUSE_MS)
    }
  }

  function updateAll(changed: readonly { sequence: number; data: Uint8Array }[]): void {
    transact(() => {
      for (const { sequence, data } of changed) update.run(checksumOf(sequence, data), data, sequence)
    })
  }

  function transact(work: () => void): void {
    database.exec('BEGIN IMMEDIATE')
    try {
      work()
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  function usedPages(): number {
    const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
    return read('page_count') - read('freelist_count')
  }

  function scrub(): boolean {
    // SQLite leaves copies of rows behind when it moves them to another page. In a busy log the next
    // deletions overwrite that page.
    if (usedPages() <= VACUUM_PAGES) database.exec('VACUUM')
    // The write-ahead log has copies of pages from before their change.
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  }

  const measure = database.prepare(`
    SELECT count(*) AS records, sum(bytes) AS bytes, (SELECT max(sequence) FROM records) AS highest FROM (
      SELECT length(data) AS bytes FROM records WHERE sequence > ? ORDER BY sequence LIMIT ${MEASURED_ROWS}
    )`)

  function bytesAfter(after: number): number {
    const { records, bytes, highest } = measure.get(after) ?? {}
    const measured = Number(records)
    const waiting = measured < MEASURED_ROWS ? measured : Number(highest) - after
    return measured === 0 ? 0 : (Number(bytes) / measured) * waiting
  }

  function entriesAbove(after: number, limit: number): StreamEntry[] {
    const entries: StreamEntry[] = []
    let bytes = 0
    for (const row of select.iterate(after, limit)) {
      const [sequence, data] = [Number(row.sequence), row.data as Uint8Array]
      const isWhole = checksumOf(sequence, data) === row.checksum
      entries.push({ sequence: String(sequence), data: isWhole ? data : markDamaged(data) })
      bytes += data.length
      if (bytes >= READ_BYTES) break
    }
    return entries
  }

  function newest(limit: number): StreamEntry[] {
    return selectNewest.all(limit).flatMap(row => {
      const [sequence, data] = [Number(row.sequence), row.data as Uint8Array]
      return checksumOf(sequence, data) === row.checksum ? [{ sequence: String(sequence), data }] : []
    })
  }

  /** Does the work. When it finds damage, the next start repairs the log (see suspectPath). */
  function reportDamage<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (isDamage(error)) writeFileSync(suspectPath(dir), '')
      throw error
    }
  }

  return {
    shards: async () => [ownShard],
    read: async (shard, after, limit) =>
      shard === ownShard ? reportDamage(() => entriesAbove(Number(after ?? 0), limit)) : [],
    async prune(upTo, olderThan) {
      let deleted = 0
      for (;;) {
        const { changes } = reportDamage(() => remove.run(Number(upTo), olderThan))
        deleted += Number(changes)
        if (Number(changes) < PRUNE_ROWS) return deleted
        await sleep(PRUNE_PAUSE_MS)
      }
    },
    overwrite: (upTo, change) => overwrite(Number(upTo), change),
    scrub: () => reportDamage(scrub),
    newest: limit => reportDamage(() => newest(limit)),
    appendedAfter: after =>
      reportDamage(() => Number(nextAppended.get(Number(after ?? 0))?.appended_at ?? 0) || null),
    bytesAfter: after => reportDamage(() => bytesAfter(Number(after ?? 0))),
    close() {
      if (database.isOpen) database.close()
    },
  }
}

/**
 * Marks the bytes of a damaged record, so that the lake consumer puts them in quarantine instead of reading
 * them.
 */
function markDamaged(data: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(DAMAGED), data])
}
