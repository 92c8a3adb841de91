import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLaggingWindow } from '#core/limits/lagging-window'
import { createSlidingWindow, type SlidingWindow } from '#core/limits/sliding-window'
import { systemClock } from '#providers/system-clock'
import { openTestState, type TestState } from '#test/support/test-state'

const MINUTE_MS = 60_000

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { ...systemClock, now: () => now }
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** A process on the shared table, which counts its reports and can wait for them. */
function openProcess(name: string, errors: unknown[] = [], fail = () => false) {
  const shared = createSlidingWindow({ ...state, clock }, { name, windowMs: MINUTE_MS })
  const reports: Promise<unknown>[] = []
  const looks: Promise<unknown>[] = []
  const record: SlidingWindow['record'] = (...report) => {
    const recorded = fail() ? Promise.reject(new Error('busy')) : shared.record(...report)
    reports.push(recorded)
    return recorded
  }
  const peek: SlidingWindow['peek'] = (...look) => {
    const looked = shared.peek(...look)
    looks.push(looked)
    return looked
  }
  const window = createLaggingWindow({
    window: { record, peek },
    windowMs: MINUTE_MS,
    clock,
    onError: error => errors.push(error),
  })
  return {
    take: (limit: number) => window.take('token', limit).isAdmitted,
    admission: (limit: number) => window.take('token', limit),
    reports,
    /** Waits for all reports, also those that follow others, and for what the window does with them. */
    async settle() {
      for (let settled = -1; settled < reports.length + looks.length; ) {
        settled = reports.length + looks.length
        await Promise.allSettled([...reports, ...looks])
        await nextTurn()
      }
    },
  }
}

test('one process admits exactly the limit, also when all requests come before the table has responded', async () => {
  const process = openProcess('burst')
  expect(Array.from({ length: 200 }, () => process.take(50)).filter(Boolean)).toHaveLength(50)
  await process.settle()
  expect(process.take(50)).toBe(false)
})

test('several processes together admit the limit and at most ten more each, with a write for ten requests', async () => {
  const processes = ['a', 'b', 'c', 'd'].map(() => openProcess('shared'))
  let admitted = 0
  for (let i = 0; i < 100; i++) {
    for (const process of processes) admitted += Number(process.take(200))
    now += 10
    if (i % 5 === 4) for (const process of processes) await process.settle()
  }
  expect(admitted).toBeGreaterThanOrEqual(200)
  expect(admitted).toBeLessThanOrEqual(240)
  const reports = processes.reduce((sum, process) => sum + process.reports.length, 0)
  expect(reports).toBeLessThanOrEqual(admitted / 10 + 4)
})

test('a full window refuses until the time that it names, and then admits again', async () => {
  const process = openProcess('reset')
  for (let i = 0; i < 20; i++) process.take(20)
  await process.settle()
  const refused = process.admission(20)
  expect(refused).toMatchObject({ isAdmitted: false, limit: 20, remaining: 0 })
  now = refused.resetAt - 1
  expect(process.take(20)).toBe(false)
  now = refused.resetAt
  expect(process.take(20)).toBe(true)
})

test('requests that are older than the window do not count', () => {
  const process = openProcess('old')
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 9; i++) expect(process.take(9 + round)).toBe(true)
    now += MINUTE_MS
  }
  expect(process.reports.length).toBeLessThanOrEqual(1)
})

test('while the table cannot be reached requests are admitted, and the table is asked once a second', async () => {
  const errors: unknown[] = []
  let isDown = true
  const process = openProcess('down', errors, () => isDown)
  for (let i = 0; i < 40; i++) {
    expect(process.take(1_000)).toBe(true)
    if (i === 20) await process.settle()
  }
  expect(errors).toHaveLength(1)
  isDown = false
  now += 1_000
  process.take(1_000)
  await process.settle()
  expect(errors).toHaveLength(1)
  expect(process.admission(1_000).remaining).toBe(1_000 - 42)
})
