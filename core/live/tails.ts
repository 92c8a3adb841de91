import { promisify } from 'node:util'
import type { UserResolver } from '#core/identity/user-resolver'
import type { Clock, Log } from '#core/ports'
import type { Chunk, LiveBuffer } from './buffer.ts'
import type { LiveEvent } from './chunk.ts'
import { type ChunkFeed, createPolledChunks, openFedChunks } from './new-chunks.ts'
import { compareArrival } from './read-live.ts'
import { createSeenEvents } from './seen-events.ts'
import { createSubscriber, type Subscription } from './subscriber.ts'

const nextTurn = promisify(setImmediate)

/** An event with the place of its chunk, and the bytes that all streams of the project send for it. */
export type TailEvent = LiveEvent & { shard: string; stamp: number; block: Uint8Array }

export type TailSettings = {
  /** Pause between two looks into the buffer, ms. */
  pollMs: number
  /** Bytes of events that may wait for a slow stream. */
  maxWaitingBytes: number
}

export const TAIL_DEFAULTS: TailSettings = { pollMs: 500, maxWaitingBytes: 8 * 1024 * 1024 }

/**
 * How many events a tail remembers, so that a retried batch sends nothing twice. At 1,000 events a second
 * these are the events of 50 s, and about 10 MB.
 */
const SEEN_EVENTS = 50_000

export type TailServices = {
  buffer: LiveBuffer
  users: UserResolver
  clock: Pick<Clock, 'sleep'>
  log: Log
  /**
   * Brings the new chunks, where the live consumer runs in the same process. Without it tails look into the
   * buffer.
   */
  feed?: ChunkFeed
}

/**
 * Follows the live buffer. All streams of a project in this process share one tail, so ten streams cost the
 * reads of one.
 */
export function createTails(
  { buffer, users, clock, log, feed }: TailServices,
  { pollMs, maxWaitingBytes }: TailSettings = TAIL_DEFAULTS,
) {
  const tails = new Map<string, ReturnType<typeof startTail>>()

  /** Subscribes to the events that become readable from now on. Some may have arrived a moment before. */
  function subscribe(projectId: string): Subscription<TailEvent> {
    const tail = tails.get(projectId) ?? startTail(projectId)
    tails.set(projectId, tail)
    const { put, ...subscription } = createSubscriber<TailEvent>(maxWaitingBytes)
    tail.subscribers.add(put)
    return {
      ...subscription,
      async close() {
        if (!tail.subscribers.delete(put) || tail.subscribers.size > 0) return
        tails.delete(projectId)
        await tail.stop()
      },
    }
  }

  function startTail(projectId: string) {
    const subscribers = new Set<(events: readonly TailEvent[]) => void>()
    const stopping = new AbortController()
    const { signal } = stopping
    const seen = createSeenEvents(SEEN_EVENTS)
    const chunks =
      feed === undefined
        ? createPolledChunks({ buffer, clock }, projectId, pollMs)
        : openFedChunks(buffer, projectId, feed)

    async function run(): Promise<void> {
      while (!signal.aborted) {
        const newChunks = await untilDone(() => chunks.next(signal))
        const events = await untilDone(() => toTailEvents(projectId, newChunks ?? []))
        const newEvents = (events ?? []).filter(seen.isNew)
        if (newEvents.length > 0) for (const put of subscribers) put(newEvents)
        // Requests that wait are served between two chunks.
        await nextTurn()
      }
    }

    /** Repeats reads until they succeed, so that nothing is missed. Null: the tail stops. */
    async function untilDone<T>(read: () => Promise<T>): Promise<T | null> {
      while (!signal.aborted) {
        try {
          return await read()
        } catch (error) {
          log('LIVE_READ_FAILED', { error: String(error) })
          await clock.sleep(pollMs, signal).catch(() => {})
        }
      }
      return null
    }

    const running = run()
    return {
      subscribers,
      stop() {
        stopping.abort()
        chunks.close()
        return running
      },
    }
  }

  /**
   * The events of chunks in the order of arrival, with the final ids of their users and without erased ones.
   */
  async function toTailEvents(projectId: string, chunks: readonly Chunk[]): Promise<TailEvent[]> {
    const events = chunks.flatMap(({ shard, stamp, events }) =>
      events.map(event => ({ ...event, shard, stamp })),
    )
    return (await users.resolveUsers(projectId, events))
      .map(event => ({ ...event, block: toBlock(event) }))
      .sort(compareArrival)
  }

  return { subscribe, toTailEvents }
}

export type Tails = ReturnType<typeof createTails>

/** A block of the stream (docs/api/live.md). JSON has no line breaks, so the data fits on one line. */
function toBlock({ id, event, properties, user_id, session_id, timestamp, country }: LiveEvent): Uint8Array {
  const data = { id, event, properties, user_id, session_id, timestamp, country }
  return Buffer.from(`id: ${id}\nevent: track\ndata: ${JSON.stringify(data)}\n\n`)
}
