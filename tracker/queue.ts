/** One event as it is sent (contract 4.6). */
export type Item = {
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
  add(item: Item): void
  /** Hands over what waits; nothing while held. */
  flush(): void
  /** From now on nothing leaves the page. */
  hold(): void
}

const FLUSH_AFTER_MS = 5000
/** So many wait at most while the queue is held: a page that is never released must not grow without bound. */
const HELD_ITEMS = 1000

/** Collects items and hands them to `deliver` 5 s after the first, or when flushed. */
export function createQueue(deliver: (items: Item[]) => void): Queue {
  let items: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let held = false

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (held || items.length === 0) return
    const waiting = items
    items = []
    deliver(waiting)
  }

  return {
    add(item) {
      if (held && items.length >= HELD_ITEMS) return
      items.push(item)
      timer ??= setTimeout(flush, FLUSH_AFTER_MS)
    },
    flush,
    hold() {
      held = true
    },
  }
}
