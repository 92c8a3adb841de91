import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import { liveRecord } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'
import { openTestState, type TestState } from '#test/support/test-state'

const START = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('a chunk expires a minute after its events', async () => {
  const written: [string, number][] = []
  const buffer = createLiveBuffer(state, {
    clock: { now: () => START },
    bufferMs: 300_000,
    onWritten: ({ pk }, expiresAt) => written.push([pk, expiresAt]),
  })
  await buffer.write('expiring', 's', [liveRecord(1, START, [{}])])
  expect(written).toEqual([['live#expiring', START / 1_000 + 360]])
})

test('a chunk whose write took long is written again, so that readers who have gone on find it', async () => {
  let now = START
  // Each reading of the clock takes the time of a slow write, twice.
  const delays = [0, 1_600, 0, 1_600, 0, 0]
  const clock = {
    now() {
      now += delays.shift() ?? 0
      return now
    },
  }
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  await buffer.write('slow', 's', [liveRecord(1, START, [{}])])
  const stamps = (await buffer.chunksFrom('slow', '')).map(({ stamp }) => stamp)
  expect(stamps).toEqual([START, START + 1_600, START + 3_200])
  expect(now - (stamps.at(-1) ?? 0)).toBeLessThan(LATE_MS)
})

test('a tail sends events of a chunk that becomes readable late, and no event twice', async () => {
  let now = START
  const buffer = createLiveBuffer(state, { clock: { now: () => now }, bufferMs: 300_000 })
  const tails = createTails({ buffer, users: NO_LINKS, log: () => {} }, { ...TAIL_DEFAULTS, pollMs: 1 })
  const subscription = tails.subscribe('late')
  onTestFinished(subscription.close)
  const nextNames = async () => (await subscription.next()).map(({ event }) => event)
  now += 5_000
  await buffer.write('late', 's1', [liveRecord(1, now, [{ event: 'first' }])])
  expect(await nextNames()).toEqual(['first'])
  // Another writer's chunk, with a stamp before the one that the tail has read.
  now -= 1_400
  await buffer.write('late', 's2', [liveRecord(2, now, [{ event: 'late' }])])
  now += 1_400
  expect(await nextNames()).toEqual(['late'])
  await buffer.write('late', 's1', [
    liveRecord(1, now, [{ event: 'first' }]),
    liveRecord(3, now, [{ event: 'second' }]),
  ])
  expect(await nextNames()).toEqual(['second'])
})

test('a slow stream is told that it has lost events, and takes no more memory', async () => {
  const buffer = createLiveBuffer(state, { clock: { now: () => START }, bufferMs: 300_000 })
  const tails = createTails({ buffer, users: NO_LINKS, log: () => {} }, { pollMs: 1, maxWaiting: 3 })
  const [slow, fast] = [tails.subscribe('busy'), tails.subscribe('busy')]
  for (const { close } of [slow, fast]) onTestFinished(close)
  let taken = 0
  for (let i = 0; i < 3; i++) {
    await buffer.write('busy', 's', [liveRecord(i, START, [{}, {}])])
    taken += (await fast.next()).length
  }
  expect(taken).toBe(6)
  expect([slow.hasOverflowed(), fast.hasOverflowed()]).toEqual([true, false])
  expect(await slow.next()).toHaveLength(2)
})
