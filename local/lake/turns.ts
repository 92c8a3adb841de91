/** Whose work it is. Of the work of one owner, that with the smallest `order` comes first. */
export type Place = { owner: string; order: number }

export type Turns = {
  /**
   * Runs the work when it is the owner's turn. `signal` takes the work out of the queue and rejects with its
   * reason; it does not stop work that runs.
   */
  take<T>(place: Place, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Resolves when no work runs or waits. */
  whenIdle(): Promise<void>
}

type Waiting = { order: number; start(): void }

/**
 * A queue in which owners take turns: after an owner's work has started, every other owner who waits comes
 * first. At most
 * `total` pieces of work run at the same time, and at most `perOwner` of one owner. With `total` above
 * `perOwner`, one owner can never occupy the whole queue.
 */
export function createTurns({ total, perOwner }: { total: number; perOwner: number }): Turns {
  const running = new Map<string, number>()
  /** In the order of the turns. An owner without waiting work has no entry. */
  const waiting = new Map<string, Waiting[]>()
  let runningTotal = 0
  let idleListeners: (() => void)[] = []

  function countOf(owner: string): number {
    return running.get(owner) ?? 0
  }

  function startNext(): void {
    while (runningTotal < total) {
      const next = [...waiting].find(([owner]) => countOf(owner) < perOwner)
      if (next === undefined) break
      const [owner, works] = next
      const [work, ...others] = works
      waiting.delete(owner)
      if (others.length > 0) waiting.set(owner, others)
      running.set(owner, countOf(owner) + 1)
      runningTotal++
      work?.start()
    }
    if (runningTotal > 0 || waiting.size > 0) return
    for (const listener of idleListeners.splice(0)) listener()
  }

  function end(owner: string): void {
    runningTotal--
    if (countOf(owner) === 1) running.delete(owner)
    else running.set(owner, countOf(owner) - 1)
    startNext()
  }

  function leave(owner: string, entry: Waiting): void {
    const others = (waiting.get(owner) ?? []).filter(other => other !== entry)
    if (others.length > 0) waiting.set(owner, others)
    else waiting.delete(owner)
    startNext()
  }

  async function take<T>({ owner, order }: Place, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        order,
        start() {
          signal.removeEventListener('abort', abandon)
          resolve()
        },
      }
      const abandon = (): void => {
        leave(owner, entry)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abandon)
      const others = waiting.get(owner) ?? []
      const index = others.findLastIndex(other => other.order <= order) + 1
      waiting.set(owner, others.toSpliced(index, 0, entry))
      startNext()
    })
    try {
      return await work()
    } finally {
      end(owner)
    }
  }

  async function whenIdle(): Promise<void> {
    if (runningTotal === 0 && waiting.size === 0) return
    await new Promise<void>(resolve => {
      idleListeners = [...idleListeners, resolve]
    })
  }

  return { take, whenIdle }
}
