import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { caught } from '#local/caught'

const ROOT = resolve(import.meta.dirname, '../..')

test.each([
  ['throws', () => failNow()],
  ['rejects', async () => failNow()],
  ['rejects later', () => Promise.resolve().then(failNow)],
])('a task of a timer that %s is logged, and does not end the process', async (_, task) => {
  const lines: unknown[] = []
  await caught((code, fields) => lines.push([code, fields]), 'garbage', task)()
  expect(lines).toEqual([['TIMER_FAILED', { timer: 'garbage', error: 'Error: EMFILE' }]])
})

function failNow(): never {
  throw new Error('EMFILE')
}

/** Tasks of timers that cannot fail, so that they need no log. */
const HARMLESS = [
  ['duckdb/interrupter.ts', /connection\.interrupt\(\)|interruptLate/],
  ['local/http/send-stream.ts', /response\.destroy\(\)/],
  ['local/http/server.ts', /server\.closeAllConnections\(\)/],
  // It catches the only step that can fail.
  ['duckdb/reads/hot-files.ts', /deleteUnused/],
  ['duckdb/reads/wait-limit.ts', /waiting\.abort/],
  ['local/main.ts', /process\.kill\(process\.pid/],
  ['local/pipeline/start.ts', /worker\.terminate\(\)/],
  ['local/pipeline/thread.ts', /cutOff, /],
  // It counts in shared memory.
  ['local/scans/run-scan-thread.ts', /^beat, /],
  ['local/scans/scan-thread.ts', /worker\.terminate\(\)/],
  // It reads files that may be missing, and catches that.
  ['providers/chromium/probe-fence.ts', /browser\.close\(\)\.catch/],
  ['providers/chromium/start-browser.ts', /async \(\) => \{\n\s+\/\/ A look at thousands of files/],
  ['providers/network.ts', /request\.destroy/],
] as const

test('every other timer of the service catches what its task throws', () => {
  const paths = ['local', 'providers', 'duckdb'].flatMap(folder =>
    globSync(`${folder}/**/*.ts`, { cwd: ROOT }),
  )
  const timers = paths.flatMap(path =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bset(?:Timeout|Interval)\(([\s\S]{0,80})/g)]
      .map(([, task = '']) => task)
      // Names of types and functions end with the parenthesis of a call that has no task.
      .map(task => ({ path, task })),
  )
  const uncaught = timers.filter(
    ({ path, task }) =>
      !task.trimStart().startsWith('caught(') &&
      !task.includes('Math.min(ms, LONGEST_TIMER_MS), undefined') &&
      !HARMLESS.some(([file, pattern]) => file === path && pattern.test(task)),
  )
  expect(timers.length).toBeGreaterThan(15)
  expect(uncaught).toEqual([])
})
