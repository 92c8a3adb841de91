import { guard } from './guard.ts'

/** A chunk is made after this time, ms, or when its events have so many characters. */
const CHUNK_MS = 10_000
const CHUNK_CHARS = 300_000
/** The service takes 20,000 events in a chunk. */
const CHUNK_EVENTS = 10_000

/** Collects events to chunks: lists as JSON. */
export function createChunks(onChunk: (events: string) => void) {
  let events: string[] = []
  let chars = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (events.length === 0) return
    const list = `[${events.join()}]`
    events = []
    chars = 0
    onChunk(list)
  }

  function add(event: string): void {
    events.push(event)
    chars += event.length
    if (chars > CHUNK_CHARS || events.length >= CHUNK_EVENTS) flush()
    else timer ??= setTimeout(guard(flush), CHUNK_MS)
  }

  /** Forgets what was not made a chunk yet. */
  function clear(): void {
    events = []
    flush()
  }

  return { add, flush, clear }
}
