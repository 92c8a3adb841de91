/** One event in the form in which it is sent (contract 4.6). */
export type QueuedEvent = {
  project: string
  token: string
  event: string
  properties: Record<string, unknown>
  user_id: string
  session_id: string
  /** Unix ms. */
  timestamp: number
}

export type Queue = {
  add(queuedEvent: QueuedEvent): void
  /** Delivers all queued events, unless the queue is held. */
  flush(): void
  /** Stops delivery for the rest of the page's life. */
  hold(): void
}

const FLUSH_AFTER_MS = 5000
/** Maximum number of events in a held queue, because memory must not grow without limit. */
const MAX_HELD_EVENTS = 1000

/** Creates a queue that delivers its events 5 s after the first one, or on `flush`. */
export function createQueue(deliver: (events: QueuedEvent[]) => void): Queue {
  let events: QueuedEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (isHeld || events.length === 0) return
    const flushedEvents = events
    events = []
    deliver(flushedEvents)
  }

  return {
    add(queuedEvent) {
      if (isHeld && events.length >= MAX_HELD_EVENTS) return
      events.push(queuedEvent)
      timer ??= setTimeout(flush, FLUSH_AFTER_MS)
    },
    flush,
    hold() {
      isHeld = true
    },
  }
}
