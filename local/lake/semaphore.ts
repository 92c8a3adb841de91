/** Lets `places` callers in at a time; the others wait in line, at most `waitMs`. */
export type Semaphore = {
  /** Resolves to true inside, to false when the wait was too long; rejects with the signal's reason. */
  enter(waitMs: number, signal?: AbortSignal): Promise<boolean>
  leave(): void
}

export function createSemaphore(places: number): Semaphore {
  let free = places
  const line: (() => void)[] = []

  return {
    enter(waitMs, signal) {
      if (free > 0) {
        free--
        return Promise.resolve(true)
      }
      return new Promise((resolve, reject) => {
        const leaveLine = (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          const at = line.indexOf(admit)
          if (at >= 0) line.splice(at, 1)
        }
        const admit = (): void => {
          leaveLine()
          resolve(true)
        }
        const abort = (): void => {
          leaveLine()
          reject(signal?.reason)
        }
        const timer = setTimeout(() => {
          leaveLine()
          resolve(false)
        }, waitMs)
        signal?.addEventListener('abort', abort)
        line.push(admit)
      })
    },
    leave() {
      const next = line.shift()
      if (next === undefined) free++
      else next()
    },
  }
}
