import { unavailable } from '#core/errors'
import type { EventStream, Lake, Log } from '#core/ports'

export type DiskReserveServices = {
  /** The free bytes, and all bytes, of the disk that holds the data folder. */
  measureDisk(): Promise<{ free: number; size: number }>
  /** The bytes of the records that are in the log and not in the lake. */
  waitingBytes(): Promise<number>
  /** The bytes of the hot files that are not compacted yet. */
  hotBytes(): Promise<number>
  log: Log
}

/**
 * The disk when it was last measured, in bytes. `needed`: the reserve. `isReached`: events are refused now.
 */
export type DiskReading = { free: number; size: number; needed: number; isReached: boolean }

export type DiskReserve = {
  /** Throws UNAVAILABLE when the records would use room that the acknowledged events need. */
  take(records: readonly Uint8Array[]): void
  /**
   * Throws UNAVAILABLE when an object of a replay with so many bytes would use room that events have to
   * themselves. Events are not refused because of it.
   */
  takeObject(bytes: number): void
  /** Measures the disk. It never throws: a disk that cannot be measured does not stop appends. */
  measure(): Promise<void>
  reading(): DiskReading
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
 * Room above the reserve that only events may use. Whoever has the public token may send replays of 2 MiB, so
 * they stop while there is room for a million events, and for the operator to notice.
 */
export const REPLAY_ROOM_BYTES = 256 * 1024 * 1024
/** On a small disk the room is this part of it. */
const REPLAY_ROOM_SHARE = 0.1

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
  measureDisk,
  waitingBytes,
  hotBytes,
  log,
}: DiskReserveServices): DiskReserve {
  /** Room for more records until the next measurement. */
  let budget = Number.POSITIVE_INFINITY
  let measured = { free: 0, needed: 0 }
  let diskSize = 0
  /** The part of the budget that replays leave to events. */
  let replayRoom = REPLAY_ROOM_BYTES
  const events = createEpisode('events', reached => {
    log(reached ? 'DISK_RESERVE_REACHED' : 'DISK_RESERVE_FREE', measured)
  })
  const replays = createEpisode('replays', reached => {
    log(reached ? 'REPLAY_RESERVE_REACHED' : 'REPLAY_RESERVE_FREE', measured)
  })

  async function measure(): Promise<void> {
    try {
      // The need is read first: what the lake takes meanwhile makes the room look smaller, not larger.
      const needed = neededBytes(await waitingBytes(), await hotBytes())
      const { free, size } = await measureDisk()
      measured = { free, needed }
      diskSize = size
      budget = free - needed
      replayRoom = Math.min(REPLAY_ROOM_BYTES, size * REPLAY_ROOM_SHARE)
      events.measure(budget)
      replays.measure(budget - replayRoom)
    } catch {}
  }

  return {
    measure,
    reading: () => ({ ...measured, size: diskSize, isReached: events.isReached() }),
    take(records) {
      const bytes = records.reduce((sum, { length }) => sum + length, 0)
      const needed = bytes * LOG_PER_RECORD_BYTE + neededBytes(bytes, 0) - FLOOR_BYTES
      events.take(needed, budget)
      budget -= needed
    },
    takeObject(bytes) {
      replays.take(bytes, budget - replayRoom)
      budget -= bytes
    },
  }
}

/** The state of one kind of data: an episode is the time in which all of it is refused. */
function createEpisode(things: string, onChange: (isReached: boolean) => void) {
  let isReached = false

  function setReached(value: boolean): void {
    if (value !== isReached) onChange(value)
    isReached = value
  }

  return {
    isReached: () => isReached,
    measure: (room: number) => setReached(room <= (isReached ? RESUME_BYTES : 0)),
    take(needed: number, room: number): void {
      // A refusal starts an episode too, so that the log tells the operator of it.
      if (needed > room) setReached(true)
      if (!isReached) return
      throw unavailable(`The disk has too little room for more ${things}. Try again later.`, RETRY_SECONDS)
    },
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
