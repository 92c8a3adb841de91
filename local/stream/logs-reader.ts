import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStream, StreamEntry } from '#core/ports'
import { logPath } from './log-file.ts'
import { LOCAL_SHARD, openStreamReader, type StreamReader } from './reader.ts'

/** The shard of projects that send much (busy-projects.ts). All other records are in LOCAL_SHARD. */
export const BUSY_SHARD = 'local-busy'

/** The folder of the busy log, inside the data folder. */
export function busyDir(dir: string): string {
  return join(dir, 'log-busy')
}

/**
 * Reads both logs of a data folder, in any thread. Without a busy log there is one shard. The methods are
 * those of StreamReader, for a shard.
 */
export type LogsReader = Pick<EventStream, 'shards' | 'read'> &
  Pick<StreamReader, 'scrub' | 'close'> & {
    prune(shard: string, upTo: string, olderThan: number): Promise<number>
    overwrite(shard: string, ...call: Parameters<StreamReader['overwrite']>): Promise<void>
    newest(shard: string, limit: number): StreamEntry[]
    appendedAfter(shard: string, after: string | null): number | null
    bytesAfter(shard: string, after: string | null): number
  }

export function openLogsReader(dir: string): LogsReader {
  const readers = new Map([[LOCAL_SHARD, openStreamReader(dir)]])

  /** The busy log may come while the service runs. */
  function logs(): ReadonlyMap<string, StreamReader> {
    const busy = readers.has(BUSY_SHARD) ? null : openIfReady(busyDir(dir))
    if (busy !== null) readers.set(BUSY_SHARD, busy)
    return readers
  }

  function logOf(shard: string): StreamReader {
    const reader = logs().get(shard)
    if (reader === undefined) throw new Error(`The log has no shard ${shard}`)
    return reader
  }

  return {
    shards: async () => [...logs().keys()],
    read: async (shard, after, limit) => logs().get(shard)?.read(shard, after, limit) ?? [],
    prune: (shard, upTo, olderThan) => logOf(shard).prune(upTo, olderThan),
    overwrite: (shard, upTo, change) => logOf(shard).overwrite(upTo, change),
    newest: (shard, limit) => logOf(shard).newest(limit),
    appendedAfter: (shard, after) => logOf(shard).appendedAfter(after),
    bytesAfter: (shard, after) => logOf(shard).bytesAfter(after),
    scrub: () => [...logs().values()].map(reader => reader.scrub()).every(isClean => isClean),
    close() {
      for (const reader of readers.values()) reader.close()
    },
  }
}

/** SQLITE_ERROR, for a table that is not there yet; SQLITE_BUSY; SQLITE_CANTOPEN. */
const NOT_READY = [1, 5, 14]

/**
 * Null while the writer has not created the log. A start has repaired the log that it found, so nothing else
 * is wrong with it.
 */
function openIfReady(dir: string): StreamReader | null {
  if (!existsSync(logPath(dir))) return null
  try {
    return openStreamReader(dir, BUSY_SHARD)
  } catch (error) {
    if (NOT_READY.includes(((error as { errcode?: number }).errcode ?? 0) & 0xff)) return null
    throw error
  }
}
