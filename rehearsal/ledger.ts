export type Entry = { name: string; passed: boolean; seconds: number; detail: string }

export type Ledger = {
  entries: Entry[]
  /** Whether the check of this name runs. */
  isSelected(name: string): boolean
  /**
   * Runs a check and records its outcome, unless it is not selected. A check fails by throwing, and returns
   * details for the report.
   */
  check(name: string, run: () => Promise<string>): Promise<boolean>
  /** Runs a step that later steps need. Records its outcome and throws its error again. */
  step<T>(name: string, run: () => Promise<T>, detail?: (value: T) => string): Promise<T>
}

/**
 * Creates the record of all steps and checks. It prints each one when it ends. `only`: a check runs if its
 * name has one of these texts; empty selects all.
 */
export function createLedger(only: readonly string[] = []): Ledger {
  const entries: Entry[] = []

  function record(name: string, startMs: number, passed: boolean, detail: string): void {
    const entry = { name, passed, seconds: (performance.now() - startMs) / 1_000, detail }
    entries.push(entry)
    console.log(formatEntry(entry))
  }

  async function step<T>(
    name: string,
    run: () => Promise<T>,
    detail: (value: T) => string = () => '',
  ): Promise<T> {
    const startMs = performance.now()
    try {
      const value = await run()
      record(name, startMs, true, detail(value))
      return value
    } catch (error) {
      record(name, startMs, false, error instanceof Error ? (error.stack ?? error.message) : String(error))
      throw error
    }
  }

  const isSelected = (name: string) => only.length === 0 || only.some(text => name.includes(text))
  return {
    entries,
    step,
    isSelected,
    async check(name, run) {
      if (!isSelected(name)) return false
      return step(name, run, detail => detail).then(
        () => true,
        () => false,
      )
    },
  }
}

function formatEntry({ name, passed, seconds, detail }: Entry): string {
  return `${passed ? 'passed' : 'FAILED'}  ${seconds.toFixed(1).padStart(6)} s  ${name}${detail === '' ? '' : `: ${detail}`}`
}

/** Formats the final table. */
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
