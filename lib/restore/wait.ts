export const SECOND_MS = 1_000

export type WaitOptions = {
  everyMs: number
  /** How often it is asked before it fails. */
  tries: number
  /** Message of the error then, with what to do. */
  problem: string
}

/** Waits for AWS. Tests pass a `sleep` that returns at once. */
export type Wait = ReturnType<typeof createWait>

export function createWait(sleep: (ms: number) => Promise<unknown>) {
  return {
    pause: async (ms: number) => void (await sleep(ms)),
    /** Resolves when `isReady` says so. Throws `problem` after `tries`. */
    async until(isReady: () => Promise<boolean>, { everyMs, tries, problem }: WaitOptions): Promise<void> {
      for (let i = 0; i < tries; i++) {
        if (await isReady()) return
        await sleep(everyMs)
      }
      throw new Error(problem)
    },
  }
}
