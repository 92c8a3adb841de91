import { queryFailure } from '#core/sql/query-failures'

/**
 * Whose work it is. Of the work of one owner, that with the smallest `order` comes first. `isGuest`: it is
 * for somebody without an account of their own, so it comes after the work of accounts.
 */
export type Place = { owner: string; order: number; isGuest?: boolean }

export type Turns = {
  /**
   * Runs the work when it is the owner's turn. `signal` takes the work out of the queue and rejects with its
   * reason; it does not stop work that runs. Throws UNAVAILABLE when no more work of guests may wait.
   */
  take<T>(place: Place, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Resolves when no work runs or waits. */
  whenIdle(): Promise<void>
}

export type TurnLimits = {
  /** Pieces of work that run at the same time, and those of one owner. */
  total: number
  perOwner: number
}

/**
 * Statements of guests that may wait, in all and for one owner. A view of the dashboard asks ten reports of
 * up to five statements at once, so that one view fits. A waiting statement takes some tens of KB.
 */
const GUESTS_WAITING = { total: 128, perOwner: 64 }

type Waiting = { order: number; start(): void }

/** The work of one class: of accounts, or of guests. */
type WorkClass = {
  limits: TurnLimits
  running: Map<string, number>
  /** In the order of the turns. An owner without waiting work has no entry. */
  waiting: Map<string, Waiting[]>
}

/**
 * A queue in which owners take turns: after an owner's work has started, every other owner who waits comes
 * first. At most `total` pieces of work run at the same time, and at most `perOwner` of one owner. With
 * `total` above `perOwner`, one owner can never occupy the whole queue.
 *
 * Guests have a class of their own behind it. Their work starts only while no work of an account waits, and
 * takes all places but one, so that an account's first statement waits for at most one of theirs to end. One
 * owner's guests leave a place to those of the others. Few of them may wait: the rest is refused at once.
 */
export function createTurns({ total, perOwner }: TurnLimits): Turns {
  const places = Math.max(1, total - 1)
  const accounts = createClass({ total, perOwner })
  const guests = createClass({ total: places, perOwner: Math.max(1, places - 1) })
  const classes = [accounts, guests]
  let runningTotal = 0
  let idleListeners: (() => void)[] = []

  function startNext(): void {
    while (runningTotal < total) {
      if (!startOne(accounts) && (accounts.waiting.size > 0 || !startOne(guests))) break
    }
    if (!isIdle()) return
    for (const listener of idleListeners.splice(0)) listener()
  }

  /** Starts the next work of the class. Returns false if none may start. */
  function startOne({ limits, running, waiting }: WorkClass): boolean {
    if (sumOf(running.values()) >= limits.total) return false
    const next = [...waiting].find(([owner]) => (running.get(owner) ?? 0) < limits.perOwner)
    if (next === undefined) return false
    const [owner, works] = next
    const [work, ...others] = works
    waiting.delete(owner)
    if (others.length > 0) waiting.set(owner, others)
    running.set(owner, (running.get(owner) ?? 0) + 1)
    runningTotal++
    work?.start()
    return true
  }

  function end({ running }: WorkClass, owner: string): void {
    runningTotal--
    const left = (running.get(owner) ?? 1) - 1
    if (left === 0) running.delete(owner)
    else running.set(owner, left)
    startNext()
  }

  function leave({ waiting }: WorkClass, owner: string, entry: Waiting): void {
    const others = (waiting.get(owner) ?? []).filter(other => other !== entry)
    if (others.length > 0) waiting.set(owner, others)
    else waiting.delete(owner)
    startNext()
  }

  async function take<T>(
    { owner, order, isGuest = false }: Place,
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted()
    const workClass = isGuest ? guests : accounts
    if (isGuest && isFull(workClass, owner)) throw queryFailure('guests')
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        order,
        start() {
          signal.removeEventListener('abort', abandon)
          resolve()
        },
      }
      const abandon = (): void => {
        leave(workClass, owner, entry)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abandon)
      const others = workClass.waiting.get(owner) ?? []
      const index = others.findLastIndex(other => other.order <= order) + 1
      workClass.waiting.set(owner, others.toSpliced(index, 0, entry))
      startNext()
    })
    try {
      return await work()
    } finally {
      end(workClass, owner)
    }
  }

  function isIdle(): boolean {
    return runningTotal === 0 && classes.every(({ waiting }) => waiting.size === 0)
  }

  async function whenIdle(): Promise<void> {
    if (isIdle()) return
    await new Promise<void>(resolve => {
      idleListeners = [...idleListeners, resolve]
    })
  }

  return { take, whenIdle }
}

function createClass(limits: TurnLimits): WorkClass {
  return { limits, running: new Map(), waiting: new Map() }
}

function isFull({ waiting }: WorkClass, owner: string): boolean {
  const ofOwner = waiting.get(owner)?.length ?? 0
  const ofAll = sumOf([...waiting.values()].map(({ length }) => length))
  return ofOwner >= GUESTS_WAITING.perOwner || ofAll >= GUESTS_WAITING.total
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}
