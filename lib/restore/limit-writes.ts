/**
 * Runs at most `count` pieces of work at the same time; the others wait, in the order of the calls. The same
 * as core/async/limit-concurrency.ts, which the stack's code may not import.
 */
export function limitWrites(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count
  const waiting: (() => void)[] = []
  return async work => {
    if (free === 0) await new Promise<void>(resolve => waiting.push(resolve))
    else free -= 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
