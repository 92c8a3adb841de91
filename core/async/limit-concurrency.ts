export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `count` pieces of work at the same time; the others wait, in the order of the calls. */
export function limitConcurrency(count: number): RunLimited {
  let free = count
  const waiting: (() => void)[] = []
  return async work => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
