import type { StepResult } from './run-step.ts'
import type { Step } from './steps.ts'

/**
 * More files than this that fail in one step are no bad luck. They would take an hour, one after the other.
 */
const MAX_REPEATED_FILES = 10

/**
 * The test files of a failed step that run once more, alone. None, if something else failed too: a second run
 * of them could not make the step right.
 */
export function filesToRepeat({ step, passed, failed }: StepResult): { step: Step; file: string }[] {
  if (passed || failed === null || failed.otherErrors > 0) return []
  if (failed.files.length > MAX_REPEATED_FILES) return []
  return failed.files.map(file => ({ step, file }))
}

/**
 * The last lines of a run, and whether it passed. A step passed if all of it did, or if each test file that
 * failed passed when it ran once more, alone. Such files are named as unsteady.
 *
 * @param repeated The second runs, by test file.
 */
export function verdictLines(
  faults: readonly string[],
  results: readonly StepResult[],
  repeated: ReadonlyMap<string, StepResult>,
): { lines: string[]; passed: boolean } {
  const isSaved = (result: StepResult) => {
    const files = filesToRepeat(result)
    return files.length > 0 && files.every(({ file }) => repeated.get(file)?.passed)
  }
  const failed = results.filter(result => !result.passed && !isSaved(result))
  const again = failed.flatMap(filesToRepeat).flatMap(({ file }) => {
    const second = repeated.get(file)
    return second === undefined || second.passed ? [] : endOf(`${file}, once more and alone`, second)
  })
  const unsteady = [...repeated].filter(([, second]) => second.passed).map(([file]) => file)
  const failures = failed.length + (faults.length > 0 ? 1 : 0)
  return {
    lines: [
      ...failed.flatMap(result => endOf(result.step.name, result)),
      ...again,
      ...faults,
      ...unsteady.map(file => `unsteady: ${file} failed, and passed alone. Mend it before other work.`),
      '',
      // This form is read by machines.
      `${results.length - failed.length} passed, ${failures} failed`,
    ],
    passed: failures === 0,
  }
}

function endOf(name: string, { tail }: StepResult): string[] {
  return [`== ${name}: FAILED, the end of its output`, ...tail, '']
}
