import type { Clock } from '#core/ports'
import { type Chunk, LATE_MS, type LiveBuffer } from './buffer.ts'

/** The chunks of one project that become readable. A chunk may come more than once. */
export type NewChunks = {
  /**
   * Waits for new chunks; may resolve with none. Throws UNAVAILABLE; then call it again, and nothing is
   * missed.
   */
  next(signal: AbortSignal): Promise<Chunk[]>
  close(): void
}

/** The live consumer of the same process. It brings the chunks of a project that it writes. */
export type ChunkFeed = {
  /**
   * Calls `onChunk` for each new chunk of the project with the bytes of its JSON, and `onGap` when the
   * listener may have missed chunks: at the start, after the consumer has started again, and after more
   * events than may wait. Then the listener must read the buffer. Returns a function that ends the calls.
   */
  follow(
    projectId: string,
    listener: { onChunk(chunk: Chunk, bytes: number): void; onGap(): void },
  ): () => void
}

/**
 * The most JSON of events that wait for a reader, bytes. As objects they take ten times that. What is more
 * comes from the live buffer, which has all of it.
 */
export const MAX_WAITING_BYTES = 8_000_000

/** Looks into the buffer at intervals. */
export function createPolledChunks(
  { buffer, clock }: { buffer: LiveBuffer; clock: Pick<Clock, 'sleep'> },
  projectId: string,
  pollMs: number,
): NewChunks {
  const reader = createReader(buffer, projectId)
  let isFirst = true
  return {
    async next(signal) {
      if (!isFirst) await clock.sleep(pollMs, signal).catch(() => {})
      isFirst = false
      return signal.aborted ? [] : reader.readNew()
    },
    close() {},
  }
}

/**
 * Takes the chunks from the live consumer, and reads the buffer only after a gap. A look into the buffer
 * costs several times as much as the chunks themselves, in the thread of the requests.
 */
export function openFedChunks(buffer: LiveBuffer, projectId: string, { follow }: ChunkFeed): NewChunks {
  const reader = createReader(buffer, projectId)
  let waiting: { chunk: Chunk; bytes: number }[] = []
  /** How many gaps there were, and up to which one the buffer was read. */
  let [gaps, filled] = [0, 0]
  let woken = Promise.withResolvers<void>()
  const unfollow = follow(projectId, {
    onChunk(chunk, bytes) {
      const waitingBytes = waiting.reduce((sum, each) => sum + each.bytes, 0)
      if (waitingBytes + bytes > MAX_WAITING_BYTES) return dropWaiting()
      waiting.push({ chunk, bytes })
      woken.resolve()
    },
    onGap: dropWaiting,
  })

  /** The buffer has what waits, and it is read before any chunk that comes from now on. */
  function dropWaiting(): void {
    waiting = []
    gaps += 1
    woken.resolve()
  }

  return {
    async next() {
      if (gaps === filled && waiting.length === 0) {
        await woken.promise
        woken = Promise.withResolvers()
      }
      if (gaps === filled) {
        const [next] = waiting.splice(0, 1)
        if (next === undefined) return []
        // Skip the chunk in the buffer only when it is delivered. A chunk that was dropped while it waited is
        // then still read from the buffer.
        reader.skipTo(next.chunk.stamp)
        return [next.chunk]
      }
      const upTo = gaps
      const chunks = await reader.readNew()
      filled = upTo
      return chunks
    },
    close() {
      unfollow()
      woken.resolve()
    },
  }
}

/**
 * Reads the chunks that are new since the last look. Chunks may become readable late, so each look also lists
 * the keys of the last two seconds, and reads only those that it has not read yet.
 */
function createReader(buffer: LiveBuffer, projectId: string) {
  let from = buffer.clock.now() - LATE_MS
  let readKeys = new Set<string>()

  async function readNew(): Promise<Chunk[]> {
    const startedAt = buffer.clock.now()
    const keys = await buffer.keysFrom(projectId, from)
    const firstNew = keys.find(key => !readKeys.has(key))
    const chunks = firstNew === undefined ? [] : await buffer.chunksFrom(projectId, firstNew)
    const newChunks = chunks.filter(({ key }) => !readKeys.has(key))
    readKeys = new Set([...keys, ...chunks.map(({ key }) => key)])
    from = startedAt - LATE_MS
    return newChunks
  }

  /** Chunks with a stamp well before this one were brought by others. */
  function skipTo(stamp: number): void {
    from = Math.max(from, stamp - LATE_MS)
  }

  return { readNew, skipTo }
}
