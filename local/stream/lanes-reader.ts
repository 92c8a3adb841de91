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
export type LanesReader = Pick<EventStream, 'shards' | 'read'> &
  Pick<StreamReader, 'scrub' | 'close'> & {
    prune(shard: string, upTo: string, olderThan: number): Promise<number>
    overwrite(shard: string, ...call: Parameters<StreamReader['overwrite']>): Promise<void>
    newest(shard: string, limit: number): StreamEntry[]
    appendedAfter(shard: string, after: string | null): number | null
    bytesAfter(shard: string, after: string | null): number
  }

export function openLanesReader(dir: string): LanesReader {
  const readers = new Map([[LOCAL_SHARD, openStreamReader(dir)]])

  /** The busy log may come while the service runs. */
  function lanes(): ReadonlyMap<string, StreamReader> {
    const busy = readers.has(BUSY_SHARD) ? null : openIfReady(busyDir(dir))
    if (busy !== null) readers.set(BUSY_SHARD, busy)
    return readers
  }

  function laneOf(shard: string): StreamReader {
    const reader = lanes().get(shard)
    if (reader === undefined) throw new Error(`The log has no shard ${shard}`)
    return reader
  }

  return {
    shards: async () => [...lanes().keys()],
    read: async (shard, after, limit) => lanes().get(shard)?.read(shard, after, limit) ?? [],
    prune: (shard, upTo, olderThan) => laneOf(shard).prune(upTo, olderThan),
    overwrite: (shard, upTo, change) => laneOf(shard).overwrite(upTo, change),
    newest: (shard, limit) => laneOf(shard).newest(limit),
    appendedAfter: (shard, after) => laneOf(shard).appendedAfter(after),
    bytesAfter: (shard, after) => laneOf(shard).bytesAfter(after),
    scrub: () => [...lanes().values()].map(reader => reader.scrub()).every(isClean => isClean),
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
