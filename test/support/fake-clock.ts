import type { Clock } from '#core/ports'

export type FakeClock = Clock & {
  /** The current time. Setting it moves the clock: what waits for a moment until then goes on. */
  time: number
  /** Moves the clock ahead. */
  advance(ms: number): void
  /** How many calls sleep now. */
  sleepers(): number
}

type Wait = { until: number; isSleep: boolean; end: () => void }

/**
 * A clock for tests that nobody waits for. By hand: the time stands still until the test moves it.
 * `movesItself`: once the work of a turn of the event loop is done, the time of the first sleeper has come.
 */
export function createFakeClock(start = 0, { movesItself = false } = {}): FakeClock {
  let time = start
  const waits = new Set<Wait>()

  const inOrder = () => [...waits].sort((a, b) => a.until - b.until)

  function moveTo(end: number): void {
    for (const wait of inOrder()) {
      if (wait.until > end) break
      waits.delete(wait)
      time = Math.max(time, wait.until)
      wait.end()
    }
    time = end
  }

  function moveToFirstSleeper(): void {
    const first = inOrder().find(({ isSleep }) => isSleep)
    if (first !== undefined) moveTo(Math.max(time, first.until))
  }

  return {
    get time() {
      return time
    },
    set time(end) {
      moveTo(end)
    },
    now: () => time,
    advance: ms => moveTo(time + ms),
    sleepers: () => [...waits].filter(({ isSleep }) => isSleep).length,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const wait = { until: time + ms, isSleep: true, end: resolve }
      const abort = () => {
        waits.delete(wait)
        reject(signal?.reason)
      }
      if (ms <= 0) resolve()
      else waits.add(wait)
      signal?.addEventListener('abort', abort, { once: true })
      if (movesItself) setImmediate(moveToFirstSleeper)
      await promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    deadline(ms) {
      const ending = new AbortController()
      const end = () => ending.abort(new DOMException('The time of the deadline is over.', 'TimeoutError'))
      waits.add({ until: time + ms, isSleep: false, end })
      return ending.signal
    },
  }
}
