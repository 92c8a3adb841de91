import { createRandom } from '#core/demo/random'
import { isBucketFailure } from './failing-bucket.ts'

/** A simulated process. It continues after an await only in a turn of its own, or never. */
export type SimulatedProcess = { running: boolean; dead: boolean; asleepUntil: number; error?: unknown }

/**
 * Most turns that a stalled process sleeps. In that time, other processes can finish its work and later work.
 */
const MAX_SLEEP_TURNS = 600

/**
 * Runs processes one step at a time, in an order that the seed determines. Every call of a port is two steps:
 * one before and one after its effect. So a process can be overtaken or killed on both sides of the effect.
 */
export function createSimulatedProcesses(seed: number) {
  const random = createRandom(seed).next
  const processes = new Set<SimulatedProcess>()
  let waiting: { process: SimulatedProcess; resume: () => void }[] = []
  let turns = 0
  const simulation = {
    /** The first unexpected error of a process. */
    failure: undefined as unknown,
    random,
    chance: (probability: number) => random() < probability,
    pick: <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T,
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map(item => ({ item, order: random() }))
        .toSorted((a, b) => a.order - b.order)
        .map(({ item }) => item),
    weighted<T>(choices: readonly [weight: number, item: T][]): T {
      let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of choices) {
        left -= weight
        if (left < 0) return item
      }
      return (choices.at(-1) as [number, T])[1]
    },

    start(run: (self: SimulatedProcess) => Promise<unknown>): SimulatedProcess {
      const process: SimulatedProcess = { running: true, dead: false, asleepUntil: 0 }
      processes.add(process)
      run(process)
        .catch(error => {
          process.error = error
          if (!isExpected(error)) simulation.failure ??= error
        })
        .finally(() => end(process))
      return process
    },

    /** Returns the port with a step before and after every call. */
    interruptible<Port extends object>(process: SimulatedProcess, port: Port): Port {
      return new Proxy(port, {
        get(target, method, receiver) {
          const call = Reflect.get(target, method, receiver)
          if (typeof call !== 'function') return call
          return async (...values: unknown[]) => {
            await step(process)
            const result = await call.apply(target, values)
            await step(process)
            return result
          }
        },
      })
    },

    /** Continues one random process until it waits again. */
    async turn(): Promise<void> {
      turns++
      const ready = waiting.filter(({ process }) => process.asleepUntil <= turns)
      const next = simulation.pick(ready)
      if (next !== undefined) {
        waiting = waiting.filter(entry => entry !== next)
        next.resume()
      }
      // These microtasks are enough to reach its next wait. A turn of the event loop would take ten times as
      // long.
      for (let i = 0; i < 16; i++) await null
    },

    areWaiting: () => waiting.length > 0,

    killOne(): boolean {
      const victim = simulation.pick([...processes])
      if (victim !== undefined) kill(victim)
      return victim !== undefined
    },
    killAll(): void {
      for (const process of [...processes]) kill(process)
    },
    stallOne(): void {
      const sleeper = simulation.pick([...processes])
      if (sleeper !== undefined) sleeper.asleepUntil = turns + Math.floor(random() * MAX_SLEEP_TURNS)
    },
    wakeAll(): void {
      for (const process of processes) process.asleepUntil = 0
    },
  }

  function step(process: SimulatedProcess): Promise<void> {
    return new Promise(resume => {
      if (!process.dead) waiting.push({ process, resume })
    })
  }

  function kill(process: SimulatedProcess): void {
    process.dead = true
    waiting = waiting.filter(entry => entry.process !== process)
    end(process)
  }

  function end(process: SimulatedProcess): void {
    process.running = false
    processes.delete(process)
  }

  return simulation
}

/**
 * Returns whether a process of a healthy service may end with this error. Its batch or job is then retried.
 */
function isExpected(error: unknown): boolean {
  return (
    error instanceof Error &&
    (isBucketFailure(error) ||
      /^Another consumer holds shard/.test(error.message) ||
      /( is gone| are deleted| have changed meanwhile| fails in epoch \d+)$/.test(error.message))
  )
}
