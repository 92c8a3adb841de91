/** A run that several callers wait for. */
type SharedRun<T> = { result: Promise<T>; callers: number; abort: AbortController }

/**
 * Runs equal work on the same scope once. While it runs, later callers with the same scope and key get its
 * result. A caller who leaves gets the reason of the signal at once; the run itself stops when its last
 * caller has left.
 */
export function createSharedRuns<T>() {
  const runsOfScope = new WeakMap<object, Map<string, SharedRun<T>>>()

  return async function share(
    { scope, key, signal }: { scope: object; key: string; signal: AbortSignal },
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const runs = runsOfScope.get(scope) ?? new Map<string, SharedRun<T>>()
    runsOfScope.set(scope, runs)
    const shared = runs.get(key) ?? start()
    shared.callers++
    return await waitFor(shared)

    function start(): SharedRun<T> {
      const abort = new AbortController()
      const started = { result: run(abort.signal).finally(() => forget(started)), callers: 0, abort }
      runs.set(key, started)
      return started
    }

    /** A run that has ended or stops gets no more callers. */
    function forget(ended: SharedRun<T>): void {
      if (runs.get(key) === ended) runs.delete(key)
    }

    function waitFor(joined: SharedRun<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const leave = (): void => {
          joined.callers--
          if (joined.callers > 0) {
            reject(signal.reason)
          } else {
            forget(joined)
            joined.abort.abort(signal.reason)
          }
        }
        signal.addEventListener('abort', leave)
        joined.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      })
    }
  }
}
