import { unavailable } from '#core/errors'
import type { EventStream, Lake, Log } from '#core/ports'

export type DiskReserveServices = {
  /** The free bytes of the disk that holds the data folder. */
  freeBytes(): Promise<number>
  /** The bytes of the records that are in the log and not in the lake. */
  waitingBytes(): Promise<number>
  /** The bytes of the hot files that are not compacted yet. */
  hotBytes(): Promise<number>
  log: Log
}

export type DiskReserve = {
  /** Throws UNAVAILABLE when the records would use room that the acknowledged events need. */
  take(records: readonly Uint8Array[]): void
  /** Throws it when an object of the lake with so many bytes would. */
  takeObject(bytes: number): void
  /** Measures the disk. It never throws: a disk that cannot be measured does not stop appends. */
  measure(): Promise<void>
}

/** Always kept: for the state, for the write-ahead log on its way into the file, and for temporary files. */
export const FLOOR_BYTES = 12 * 1024 * 1024
/**
 * Free room above the reserve at which appends are accepted again, so that each episode logs two lines. It is
 * more than the largest request needs (8 MB for a body of 1 MB), so the first request afterwards does not
 * begin the next episode.
 */
const RESUME_BYTES = 10 * 1024 * 1024
/** Hot files are compressed in other pieces than records, so they may be larger. */
const HOT_PER_RECORD_BYTE = 2
/** A compaction copies its hot files, and writes segments that are not larger. */
const COMPACTED_PER_HOT_BYTE = 2
/** More hot files than this are compacted in several jobs, one after the other. */
export const COMPACTION_BYTES = 64 * 1024 * 1024
/** A record needs its bytes in the write-ahead log and in the file. */
const LOG_PER_RECORD_BYTE = 2
const RETRY_SECONDS = 30

/**
 * Room for taking these records into the lake and for one compaction, so that reports can read what was
 * acknowledged.
 */
export function neededBytes(waitingBytes: number, hotBytes: number): number {
  const newHotBytes = waitingBytes * HOT_PER_RECORD_BYTE
  const compacted = Math.min(hotBytes + newHotBytes, COMPACTION_BYTES)
  return FLOOR_BYTES + newHotBytes + compacted * COMPACTED_PER_HOT_BYTE
}

/**
 * Keeps room on the disk for the events that are acknowledged and not in the lake. Without it the log would
 * still accept events, while the lake has no room for them and reports do not show them.
 */
export function createDiskReserve({
  freeBytes,
  waitingBytes,
  hotBytes,
  log,
}: DiskReserveServices): DiskReserve {
  /** Room for more records until the next measurement. */
  let budget = Number.POSITIVE_INFINITY
  let isReached = false
  let measured = { free: 0, needed: 0 }

  /** Logs the start and the end of an episode, in which appends are refused. */
  function setReached(value: boolean): void {
    if (value !== isReached) log(value ? 'DISK_RESERVE_REACHED' : 'DISK_RESERVE_FREE', measured)
    isReached = value
  }

  async function measure(): Promise<void> {
    try {
      // The need is read first: what the lake takes meanwhile makes the room look smaller, not larger.
      const needed = neededBytes(await waitingBytes(), await hotBytes())
      const free = await freeBytes()
      measured = { free, needed }
      budget = free - needed
      setReached(budget <= (isReached ? RESUME_BYTES : 0))
    } catch {}
  }

  function takeRoom(needed: number, what: string): void {
    // A refusal starts an episode too, so that the log tells the operator of it.
    if (needed > budget) setReached(true)
    if (isReached) {
      throw unavailable(`The disk has too little room for more ${what}. Try again later.`, RETRY_SECONDS)
    }
    budget -= needed
  }

  return {
    measure,
    take(records) {
      const bytes = records.reduce((sum, { length }) => sum + length, 0)
      takeRoom(bytes * LOG_PER_RECORD_BYTE + neededBytes(bytes, 0) - FLOOR_BYTES, 'events')
    },
    takeObject: bytes => takeRoom(bytes, 'replays'),
  }
}

/** A stream that refuses records while the reserve of the disk is reached. */
export function withDiskReserve<Stream extends EventStream>(stream: Stream, reserve: DiskReserve): Stream {
  return {
    ...stream,
    async append(records, project) {
      reserve.take(records)
      return stream.append(records, project)
    },
  }
}

/** A lake that takes no new object while the reserve of the disk is reached. It is for objects of replays. */
export function lakeWithDiskReserve(lake: Lake, reserve: DiskReserve): Lake {
  return {
    ...lake,
    async put(key, bytes) {
      reserve.takeObject(bytes.length)
      return lake.put(key, bytes)
    },
  }
}
