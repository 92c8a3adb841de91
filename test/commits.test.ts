import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Columns of a subject, so that `git log --oneline` shows it whole. CONTRIBUTING.md asks for it. */
const MAX_SUBJECT = 72
/** The rule is younger than the history, so older commits keep their subjects. */
const SINCE = Date.UTC(2026, 11, 1)

/** Returns the subjects that are too long, of `git log --format='%ct %s'`. */
function longSubjects(log: string): string[] {
  return log
    .split('\n')
    .map(line => ({ seconds: Number(line.split(' ', 1)[0]), subject: line.slice(line.indexOf(' ') + 1) }))
    .filter(({ seconds, subject }) => seconds * 1000 >= SINCE && [...subject].length > MAX_SUBJECT)
    .map(({ subject }) => subject)
}

const root = resolve(import.meta.dirname, '..')

// A copy without its history has no commits to judge.
test.runIf(existsSync(join(root, '.git')))(
  'commits since the rule have subjects of at most 72 characters',
  () => {
    const log = execFileSync('git', ['log', '-200', '--format=%ct %s'], { cwd: root, encoding: 'utf8' })
    expect(longSubjects(log)).toEqual([])
  },
)

test('a subject of 73 characters is too long, and one from before the rule is not judged', () => {
  const log = (day: number, length: number) => `${Date.UTC(2026, 11, day) / 1000} ${'x'.repeat(length)}`
  expect(longSubjects([log(1, 72), log(0, 100), log(2, 73)].join('\n'))).toEqual(['x'.repeat(73)])
})
