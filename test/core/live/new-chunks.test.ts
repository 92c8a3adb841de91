import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveBuffer } from '#core/live/buffer'
import { type ChunkFeed, MAX_WAITING_BYTES, openFedChunks } from '#core/live/new-chunks'
import { createFakeClock } from '#test/support/fake-clock'
import { liveRecord, writeLive } from '#test/support/live-records'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

async function openChunks(project: string) {
  const clock = createFakeClock(NOW)
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  const listeners: Parameters<ChunkFeed['follow']>[1][] = []
  const follow: ChunkFeed['follow'] = (_, each) => {
    listeners.push(each)
    return () => {}
  }
  const chunks = openFedChunks(buffer, project, { follow })
  const [listener] = listeners as [(typeof listeners)[number]]
  await writeLive(buffer, project, 's', [liveRecord(1, NOW, [{ event: 'missed' }])])
  return {
    clock,
    onGap: listener.onGap,
    /** A chunk without events of now. */
    onChunk: (bytes: number) =>
      listener.onChunk({ key: '', shard: 's', stamp: clock.time, events: [] }, bytes),
    async nextEvents(): Promise<string[]> {
      const read = await chunks.next(new AbortController().signal)
      return read.flatMap(({ events }) => events.map(({ event }) => event))
    },
  }
}

test('a chunk that comes while a gap is open does not hide what is missing before it', async () => {
  const { clock, onGap, onChunk, nextEvents } = await openChunks('gap')
  clock.time += 60_000
  onGap()
  onChunk(100)
  expect(await nextEvents()).toEqual(['missed'])
})

test('chunks over the bytes that may wait for a slow reader are dropped, and come from the buffer', async () => {
  const { clock, onChunk, nextEvents } = await openChunks('slow')
  onChunk(MAX_WAITING_BYTES)
  clock.time += 60_000
  onChunk(1)
  expect(await nextEvents()).toEqual(['missed'])
})
