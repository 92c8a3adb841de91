import { expect, test } from 'vitest'
import { createSharedRuns } from '#core/async/shared-runs'

const scope = {}
const never = new AbortController().signal

/** Runs that end when the test says so. */
function setUp() {
  const share = createSharedRuns<number>()
  const runs: { signal: AbortSignal; end: (value: number) => void }[] = []
  const call = (key: string, signal = never, ofScope: object = scope) =>
    share({ scope: ofScope, key, signal }, runSignal => {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      runSignal.addEventListener('abort', () => reject(runSignal.reason))
      runs.push({ signal: runSignal, end: resolve })
      return promise
    })
  return { call, runs }
}

test('ten equal calls at once are one run', async () => {
  const { call, runs } = setUp()
  const results = Array.from({ length: 10 }, () => call('one'))
  runs[0]?.end(42)
  expect(await Promise.all(results)).toEqual(Array(10).fill(42))
  expect(runs).toHaveLength(1)
})

test.each([
  ['another key', 'two', scope],
  ['another scope', 'one', {}],
])('a call with %s is a run of its own', async (_, key, ofScope) => {
  const { call, runs } = setUp()
  void call('one')
  void call(key, never, ofScope)
  expect(runs).toHaveLength(2)
})

test('a call after the end of a run is a new run', async () => {
  const { call, runs } = setUp()
  const first = call('one')
  runs[0]?.end(1)
  expect(await first).toBe(1)
  const second = call('one')
  runs[1]?.end(2)
  expect(await second).toBe(2)
})

test('the run goes on while one caller stays, and stops when the last one leaves', async () => {
  const { call, runs } = setUp()
  const [one, two] = [new AbortController(), new AbortController()]
  const first = call('one', one.signal)
  const second = call('one', two.signal)
  one.abort(new Error('first left'))
  await expect(first).rejects.toThrow('first left')
  expect(runs[0]?.signal.aborted).toBe(false)
  two.abort(new Error('second left'))
  await expect(second).rejects.toThrow('second left')
  expect(runs[0]?.signal.aborted).toBe(true)
  void call('one')
  expect(runs).toHaveLength(2)
})

test('a run that fails fails for all its callers', async () => {
  const share = createSharedRuns<number>()
  const call = () => share({ scope, key: 'one', signal: never }, () => Promise.reject(new Error('broken')))
  const results = await Promise.allSettled([call(), call()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
