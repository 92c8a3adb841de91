import { expect, test } from 'vitest'
import type { StepResult } from '#scripts/ci/run-step'
import type { Step } from '#scripts/ci/steps'
import { filesToRepeat, verdictLines } from '#scripts/ci/verdict'

const tests: Step = { script: 'test', name: 'tests in Node', hasTests: true }

function result(more: Partial<StepResult> = {}): StepResult {
  return { step: tests, passed: true, tail: ['the last line'], seconds: 1, failed: null, ...more }
}

const failing = (files: string[], otherErrors = 0) =>
  result({ passed: false, failed: { files, otherErrors } })

/** Plays a run whose second runs of files give `second`. */
function judge(results: StepResult[], second: Record<string, boolean> = {}, faults: string[] = []) {
  const repeated = new Map(
    results
      .flatMap(filesToRepeat)
      .map(({ file }) => [file, result({ passed: second[file] ?? false, tail: [`end of ${file}`] })]),
  )
  return verdictLines(faults, results, repeated)
}

test('steps that pass are counted in the last line', () => {
  expect(judge([result(), result()])).toEqual({ lines: ['', '2 passed, 0 failed'], passed: true })
})

test('a file that fails and then passes alone leaves the run green, and is named', () => {
  const { lines, passed } = judge([result(), failing(['test/a.test.ts'])], { 'test/a.test.ts': true })
  expect(passed).toBe(true)
  expect(lines).toEqual([expect.stringMatching(/^unsteady: test\/a\.test\.ts /), '', '2 passed, 0 failed'])
})

test('a file that fails twice is red, with the end of both outputs, and another unsteady one is named', () => {
  const { lines, passed } = judge([failing(['test/a.test.ts', 'test/b.test.ts'])], { 'test/b.test.ts': true })
  expect(passed).toBe(false)
  expect(lines).toContain('the last line')
  expect(lines).toContain('end of test/a.test.ts')
  expect(lines).not.toContain('end of test/b.test.ts')
  expect(lines.some(line => line.startsWith('unsteady: test/b.test.ts'))).toBe(true)
  expect(lines.at(-1)).toBe('0 passed, 1 failed')
})

test.each([
  ['a step without test files', result({ passed: false })],
  ['a run that ended before it could say which files failed', result({ passed: false, failed: null })],
  ['an error outside of every file', failing(['test/a.test.ts'], 1)],
  ['more files than bad luck explains', failing(Array.from({ length: 11 }, (_, i) => `test/${i}.test.ts`))],
  ['a failure without a failed file', failing([])],
])('%s is not repeated, and fails', (_, failed) => {
  expect(filesToRepeat(failed)).toEqual([])
  expect(judge([failed])).toMatchObject({ passed: false })
})

test('a step that nobody runs makes the run red', () => {
  const { lines, passed } = judge([result()], {}, ['The script "new" is no step.'])
  expect(passed).toBe(false)
  expect(lines).toEqual(['The script "new" is no step.', '', '1 passed, 1 failed'])
})
