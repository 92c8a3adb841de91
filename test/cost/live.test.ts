import { afterAll, expect, test } from 'vitest'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { createStreamLeases } from '#core/live/stream-leases'
import { system } from '#cost/system'
import { liveRecord, writeLive } from '#test/support/live-records'
import { openMeteredState } from './metered-state.ts'

/**
 * Checks the numbers of live reads in cost/system.ts: it counts the units of the real code on a real table.
 */

const NOW = Date.UTC(2026, 10, 22)
const state = await openMeteredState()
const clock = { now: () => NOW }
const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
afterAll(() => state.close())

test('a chunk of a single event is one write', async () => {
  const { writes } = await state.measure(() =>
    writeLive(buffer, 'p', 's', [liveRecord(1, NOW, [{ properties: { path: '/' } }])]),
  )
  expect(writes).toBe(1)
})

test('an open stream costs at most the reads and writes of the model', async () => {
  const { reads } = await state.measure(async () => {
    const [key = ''] = await buffer.keysFrom('p', NOW - LATE_MS)
    await buffer.chunksFrom('p', key)
  })
  expect(2 * reads).toBeLessThanOrEqual(system.live.streamReadsPerSecond)
  const { writes } = await state.measure(async () => {
    const lease = await createStreamLeases(state, { clock, isOnlyProcess: false }).take('acc', 10)
    for (let minute = 1; minute < system.live.streamSeconds / 60; minute++) await lease?.renew()
    await lease?.release()
  })
  expect(writes).toBeLessThanOrEqual(system.live.streamWritesPerSecond * system.live.streamSeconds)
})
