import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAMAGED } from '#core/ingest/record'
import type { EventStream, StreamEntry } from '#core/ports'
import { checksumOf, isDamage, logPath, suspectPath } from './log-file.ts'

/** The one shard of a local log. */
export const LOCAL_SHARD = 'local'

/** The log's reading end, for any thread: it has a connection of its own. */
export type StreamReader = Pick<EventStream, 'shards' | 'read'> & {
  /**
   * Deletes records up to and including sequence `upTo` that were appended before `olderThan` (Unix ms), in small
   * transactions between which appends go on. The newest record always stays: sequences continue above it.
   * Returns how many it deleted.
   */
  prune(upTo: string, olderThan: number): Promise<number>
  close(): void
}

/** A call of read gives back about this much at most, so that its caller's memory is bounded. */
const READ_BYTES = 16_000_000
const PRUNE_ROWS = 500
const PRUNE_PAUSE_MS = 5

/** Opens the log of the folder, which its writer (local/stream/stream.ts) has made. */
export function openStreamReader(dir: string): StreamReader {
  const database = new DatabaseSync(logPath(dir), { timeout: 10_000 })
  // Only deletions are written here: one that a power cut undoes is done again.
  database.exec('PRAGMA synchronous = NORMAL')
  const select = database.prepare(
    'SELECT sequence, checksum, data FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?',
  )
  // Looks at the oldest rows only: the statement holds the write lock from its start, and appends wait for it.
  const remove = database.prepare(`
    DELETE FROM records WHERE sequence IN (
      SELECT sequence FROM (SELECT sequence, appended_at FROM records ORDER BY sequence LIMIT ${PRUNE_ROWS})
      WHERE sequence <= ? AND appended_at < ? AND sequence < (SELECT max(sequence) FROM records)
    )`)

  function entriesAbove(after: number, limit: number): StreamEntry[] {
    const entries: StreamEntry[] = []
    let bytes = 0
    for (const row of select.iterate(after, limit)) {
      const [sequence, data] = [Number(row.sequence), row.data as Uint8Array]
      const whole = checksumOf(sequence, data) === row.checksum
      entries.push({ sequence: String(sequence), data: whole ? data : damaged(data) })
      bytes += data.length
      if (bytes >= READ_BYTES) break
    }
    return entries
  }

  /** Damage that shows while reading is left for the next start to mend: see suspectPath. */
  function noting<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (isDamage(error)) writeFileSync(suspectPath(dir), '')
      throw error
    }
  }

  return {
    shards: async () => [LOCAL_SHARD],
    read: async (shard, after, limit) =>
      shard === LOCAL_SHARD ? noting(() => entriesAbove(Number(after ?? 0), limit)) : [],
    async prune(upTo, olderThan) {
      let deleted = 0
      for (;;) {
        const { changes } = noting(() => remove.run(Number(upTo), olderThan))
        deleted += Number(changes)
        if (Number(changes) < PRUNE_ROWS) return deleted
        await sleep(PRUNE_PAUSE_MS)
      }
    },
    close() {
      if (database.isOpen) database.close()
    },
  }
}

/** What is left of a record, marked so that the lake consumer puts it in quarantine instead of reading it. */
function damaged(data: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(DAMAGED), data])
}
