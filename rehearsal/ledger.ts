export type Entry = { name: string; passed: boolean; seconds: number; detail: string }

export type Ledger = {
  entries: Entry[]
  /** Runs a check and notes how it ended; what it returns says more. A check that throws has failed. */
  check(name: string, run: () => Promise<string>): Promise<boolean>
  /** A step without which the rest makes no sense: its error is noted and thrown on. */
  step<T>(name: string, run: () => Promise<T>, detail?: (value: T) => string): Promise<T>
}

/** Notes what was done, prints it as it ends, and gives it for the table of the end. */
export function createLedger(): Ledger {
  const entries: Entry[] = []

  function note(name: string, started: number, passed: boolean, detail: string): void {
    const entry = { name, passed, seconds: (performance.now() - started) / 1_000, detail }
    entries.push(entry)
    console.log(line(entry))
  }

  async function step<T>(
    name: string,
    run: () => Promise<T>,
    detail: (value: T) => string = () => '',
  ): Promise<T> {
    const started = performance.now()
    try {
      const value = await run()
      note(name, started, true, detail(value))
      return value
    } catch (error) {
      note(name, started, false, error instanceof Error ? (error.stack ?? error.message) : String(error))
      throw error
    }
  }

  return {
    entries,
    step,
    check: (name, run) =>
      step(name, run, detail => detail).then(
        () => true,
        () => false,
      ),
  }
}

function line({ name, passed, seconds, detail }: Entry): string {
  return `${passed ? 'passed' : 'FAILED'}  ${seconds.toFixed(1).padStart(6)} s  ${name}${detail === '' ? '' : `: ${detail}`}`
}

/** The table that the rehearsal ends with. */
export function table(entries: readonly Entry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length))
  const rows = entries.map(({ name, passed, seconds, detail }) =>
    [
      passed ? 'passed' : 'FAILED',
      `${seconds.toFixed(1)} s`.padStart(8),
      name.padEnd(width),
      detail.split('\n', 1)[0],
    ].join('  '),
  )
  const failed = entries.filter(({ passed }) => !passed).length
  return [...rows, '', `${entries.length - failed} passed, ${failed} failed`].join('\n')
}
