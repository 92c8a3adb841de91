import type { Log } from '#core/ports'
import { caught } from '#local/caught'

/** Time between two looks at the bodies, ms. Also the time that a body has before it must be fast enough. */
export const LOOK_MS = 10_000
/**
 * A body that brought fewer bytes between two looks is cut off. At this rate (1 KB/s) a body of more than 30
 * KB would not end within the 30 s that a request has, and a smaller one comes in one or two packets.
 */
export const MIN_BYTES = 10 * 1024

/** A body that is being received. */
export type WatchedBody = { count(bytes: number): void; end(): void }

export type BodyRates = {
  /** Watches a body until its `end`. `cut` is called at most once, when the body is too slow. */
  watch(cut: () => void): WatchedBody
  /** Cuts off what was too slow since the last look. A timer calls it, every `LOOK_MS`. */
  look(): void
}

/**
 * Cuts off slow bodies. What has arrived of a body takes memory and room of its peer, and a client that sends
 * the last byte never would hold both. A body is cut off 10 to 20 s after it became slow.
 */
export function createBodyRates(log: Log, everyMs: number = LOOK_MS): BodyRates {
  const bodies = new Set<{ bytes: number; isNew: boolean; cut: () => void }>()
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    if (bodies.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    for (const body of bodies) {
      if (!body.isNew && body.bytes < MIN_BYTES) {
        bodies.delete(body)
        body.cut()
      }
      body.bytes = 0
      body.isNew = false
    }
  }

  return {
    watch(cut) {
      const body = { bytes: 0, isNew: true, cut }
      bodies.add(body)
      timer ??= setInterval(caught(log, 'slow bodies', look), everyMs).unref()
      return {
        count(bytes) {
          body.bytes += bytes
        },
        end: () => void bodies.delete(body),
      }
    },
    look,
  }
}
