import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveBuffer } from '#core/live/buffer'
import { lineLength } from '#core/live/chunk'
import { createLiveConsumer, PART_LIMITS } from '#core/live/consumer'
import { createFakeClock } from '#test/support/fake-clock'
import { liveRecord, toEntry } from '#test/support/live-records'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('a batch is unpacked in parts with a bound in bytes, however well its records compress', async () => {
  const buffer = createLiveBuffer(state, { clock: createFakeClock(NOW), bufferMs: 300_000 })
  const parts: number[] = []
  const { consumeBatch } = createLiveConsumer({
    buffer,
    onCopied: (_, records) => parts.push([...records.values()].reduce((sum, of) => sum + lineLength(of), 0)),
  })
  const events = Array.from({ length: 100 }, () => ({ properties: { text: 'x'.repeat(7_800) } }))
  const batch = Array.from({ length: 20 }, (_, i) => toEntry(liveRecord(i + 1, NOW, events), 'p'))
  expect(batch.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(100_000)
  expect(await consumeBatch('s', batch)).toBe(20)
  expect(parts.length).toBeGreaterThan(3)
  expect(Math.max(...parts)).toBeLessThan(PART_LIMITS.bytes)
})
