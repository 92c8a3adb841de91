import { createRandom } from '#local/demo/random'

/** A process of the simulation: what it awaits goes on only when the scheduler takes its turn, or never. */
export type Process = { running: boolean; dead: boolean; asleepUntil: number; error?: unknown }

/** Turns that a stalled process sleeps at most: long enough for others to finish its work, and more, beside it. */
const SLEEP_TURNS = 600

/**
 * Runs processes one step at a time in an order drawn from the seed. Every call of a port is two steps, before and
 * after its effect, so that a process can be overtaken or killed on either side of it.
 */
export function createScheduler(seed: number) {
  const random = createRandom(seed).next
  const processes = new Set<Process>()
  let waiting: { process: Process; resume: () => void }[] = []
  let turns = 0
  const scheduler = {
    /** The first error that a process ended with and that was not of its own death. */
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

    spawn(run: (self: Process) => Promise<unknown>): Process {
      const process: Process = { running: true, dead: false, asleepUntil: 0 }
      processes.add(process)
      run(process)
        .catch(error => {
          process.error = error
          if (!isExpected(error)) scheduler.failure ??= error
        })
        .finally(() => end(process))
      return process
    },

    /** The port with a step before and after every call. */
    interrupted<Port extends object>(process: Process, port: Port): Port {
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

    /** Lets one process, drawn at random, go on until it waits again. */
    async turn(): Promise<void> {
      turns++
      const ready = waiting.filter(({ process }) => process.asleepUntil <= turns)
      const next = scheduler.pick(ready)
      if (next !== undefined) {
        waiting = waiting.filter(entry => entry !== next)
        next.resume()
      }
      // Enough microtasks for it to reach its next wait; a turn of the event loop would cost ten times as much.
      for (let i = 0; i < 16; i++) await null
    },

    busy: () => waiting.length > 0,

    killOne(): boolean {
      const victim = scheduler.pick([...processes])
      if (victim !== undefined) kill(victim)
      return victim !== undefined
    },
    killAll(): void {
      for (const process of [...processes]) kill(process)
    },
    stallOne(): void {
      const sleeper = scheduler.pick([...processes])
      if (sleeper !== undefined) sleeper.asleepUntil = turns + Math.floor(random() * SLEEP_TURNS)
    },
    wakeAll(): void {
      for (const process of processes) process.asleepUntil = 0
    },
  }

  function step(process: Process): Promise<void> {
    return new Promise(resume => {
      if (!process.dead) waiting.push({ process, resume })
    })
  }

  function kill(process: Process): void {
    process.dead = true
    waiting = waiting.filter(entry => entry.process !== process)
    end(process)
  }

  function end(process: Process): void {
    process.running = false
    processes.delete(process)
  }

  return scheduler
}

/** What a process may end with in an orderly service: its batch or job comes again. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof Error &&
    (/^Another consumer holds shard/.test(error.message) ||
      /( is gone| has no input files any more)$/.test(error.message))
  )
}
