import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveBuffer } from '#core/live/buffer'
import { type ChunkFeed, openFedChunks } from '#core/live/new-chunks'
import { createFakeClock } from '#test/support/fake-clock'
import { liveRecord, writeLive } from '#test/support/live-records'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('a chunk that comes while a gap is open does not hide what is missing before it', async () => {
  const clock = createFakeClock(NOW)
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  const listeners: Parameters<ChunkFeed['follow']>[1][] = []
  const follow: ChunkFeed['follow'] = (_, listener) => {
    listeners.push(listener)
    return () => {}
  }
  const chunks = openFedChunks(buffer, 'p', { follow })
  await writeLive(buffer, 'p', 's', [liveRecord(1, NOW, [{ event: 'missed' }])])
  clock.time += 60_000
  for (const { onGap, onChunk } of listeners) {
    onGap()
    onChunk({ key: '', shard: 's', stamp: clock.time, events: [] })
  }
  const read = await chunks.next(new AbortController().signal)
  expect(read.flatMap(({ events }) => events.map(({ event }) => event))).toEqual(['missed'])
})
