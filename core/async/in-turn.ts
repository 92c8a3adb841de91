export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs the work of a key one after the other, in the order of the calls; that of different keys at the same
 * time. Rejects as its work does, which does not stop the work behind it. Holds this process only, and has no
 * bound of its own: use it for requests, which the server bounds.
 */
export function createInTurn(): InTurn {
  const lastOfKey = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = lastOfKey.get(key)
    const run = before === undefined ? work() : before.then(work, work)
    lastOfKey.set(key, run)
    try {
      return await run
    } finally {
      if (lastOfKey.get(key) === run) lastOfKey.delete(key)
    }
  }
}
