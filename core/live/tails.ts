import { setTimeout as sleep } from 'node:timers/promises'
import type { UserResolver } from '#core/identity/user-resolver'
import type { Log } from '#core/ports'
import { type Chunk, LATE_MS, type LiveBuffer } from './buffer.ts'
import type { LiveEvent } from './chunk.ts'
import { createSeenEvents } from './seen-events.ts'
import { compareArrival } from './snapshot.ts'

/** An event with the place of its chunk, and the text that all streams of the project send for it. */
export type TailEvent = LiveEvent & { shard: string; stamp: number; block: string }

export type Subscription = {
  /** Resolves with the events since the last call, in the order of arrival. Waits for the first one, or for `wake`. */
  next(): Promise<TailEvent[]>
  /** Ends the wait of `next`, or of its next call, without events. */
  wake(): void
  /** Whether events were dropped, because the caller takes them too slowly. */
  hasOverflowed(): boolean
  /** Resolves when nothing is read any more for this subscription. The state may be closed then. */
  close(): Promise<void>
}

export type TailSettings = {
  /** Pause between two looks into the buffer, ms. */
  pollMs: number
  /** Events that may wait for a slow stream. */
  maxWaiting: number
}

export const TAIL_DEFAULTS: TailSettings = { pollMs: 500, maxWaiting: 10_000 }

/**
 * How many events a tail remembers, so that a retried batch sends nothing twice. At 1,000 events a second these are the
 * events of 50 s, and about 10 MB.
 */
const SEEN_EVENTS = 50_000

/**
 * Follows the live buffer. All streams of a project in this process share one tail, which looks into the buffer twice a
 * second. So a stream costs no more reads than ten of them.
 */
export function createTails(
  { buffer, users, log }: { buffer: LiveBuffer; users: UserResolver; log: Log },
  { pollMs, maxWaiting }: TailSettings = TAIL_DEFAULTS,
) {
  const tails = new Map<string, ReturnType<typeof startTail>>()

  /** Subscribes to the events that become readable from now on. Some may have arrived a moment before. */
  function subscribe(projectId: string): Subscription {
    const tail = tails.get(projectId) ?? startTail(projectId)
    tails.set(projectId, tail)
    const subscriber = createSubscriber(maxWaiting)
    tail.subscribers.add(subscriber)
    return {
      ...subscriber,
      async close() {
        if (!tail.subscribers.delete(subscriber) || tail.subscribers.size > 0) return
        tails.delete(projectId)
        await tail.stop()
      },
    }
  }

  function startTail(projectId: string) {
    const subscribers = new Set<ReturnType<typeof createSubscriber>>()
    const stopping = new AbortController()
    const reader = createReader(buffer, projectId, toTailEvents)

    async function run(): Promise<void> {
      while (!stopping.signal.aborted) {
        try {
          const events = await reader.readNew()
          if (events.length > 0) for (const { put } of subscribers) put(events)
        } catch (error) {
          // The next look goes back to the last good one, so nothing is missed.
          log('LIVE_READ_FAILED', { error: String(error) })
        }
        await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }

    const running = run()
    return {
      subscribers,
      stop() {
        stopping.abort()
        return running
      },
    }
  }

  /** The events of chunks in the order of arrival, with the final ids of their users. */
  async function toTailEvents(projectId: string, chunks: readonly Chunk[]): Promise<TailEvent[]> {
    const events = chunks.flatMap(chunk => chunk.events.map(event => ({ ...event, chunk })))
    return (await users.resolveUsers(projectId, events))
      .map(({ chunk: { shard, stamp }, ...event }) => ({ ...event, shard, stamp, block: toBlock(event) }))
      .sort(compareArrival)
  }

  return { subscribe, toTailEvents }
}

export type Tails = ReturnType<typeof createTails>

/**
 * Reads the chunks that are new since the last look. Chunks may become readable late, so each look also lists the keys of
 * the last two seconds, and reads only those that it has not read yet.
 */
function createReader(
  buffer: LiveBuffer,
  projectId: string,
  toTailEvents: (projectId: string, chunks: readonly Chunk[]) => Promise<TailEvent[]>,
) {
  const seen = createSeenEvents(SEEN_EVENTS)
  let from = buffer.clock.now() - LATE_MS
  let readKeys = new Set<string>()

  async function readNew(): Promise<TailEvent[]> {
    const startedAt = buffer.clock.now()
    const keys = await buffer.keysFrom(projectId, from)
    const firstNew = keys.find(key => !readKeys.has(key))
    const chunks = firstNew === undefined ? [] : await buffer.chunksFrom(projectId, firstNew)
    const newChunks = chunks.filter(({ key }) => !readKeys.has(key))
    // When this fails, the next look reads the same chunks again.
    const events = await toTailEvents(projectId, newChunks)
    readKeys = new Set([...keys, ...chunks.map(({ key }) => key)])
    from = startedAt - LATE_MS
    return events.filter(seen.isNew)
  }

  return { readNew }
}

/** A block of the stream (contract 2.5). JSON has no line breaks, so the data fits on one line. */
function toBlock({ id, event, properties, user_id, session_id, timestamp, country }: LiveEvent): string {
  const data = { id, event, properties, user_id, session_id, timestamp, country }
  return `id: ${id}\nevent: track\ndata: ${JSON.stringify(data)}\n\n`
}

function createSubscriber(maxWaiting: number) {
  let waiting: TailEvent[] = []
  let isOverflowing = false
  let woken = Promise.withResolvers<void>()

  return {
    put(events: readonly TailEvent[]): void {
      if (waiting.length + events.length > maxWaiting) isOverflowing = true
      else waiting.push(...events)
      woken.resolve()
    },
    wake: () => woken.resolve(),
    hasOverflowed: () => isOverflowing,
    async next(): Promise<TailEvent[]> {
      await woken.promise
      woken = Promise.withResolvers()
      const events = waiting
      waiting = []
      return events
    },
  }
}
