import { expect, test } from 'vitest'
import type { StreamEntry } from '#core/ports'
import { createLiveFeed } from '#local/pipeline/live-feed'

const signal = new AbortController().signal
const entries = (from: number, to: number): StreamEntry[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ sequence: String(from + i), data: new Uint8Array(1) }))

/**
 * A feed over `count` records, whose checkpoint is in memory. `copied` has the sequences that reached the
 * buffer.
 */
function openFeed(count: number, { stored = null as string | null } = {}) {
  const checkpoint = { stored, failing: false }
  const copied: number[] = []
  const services = {
    stream: {
      shards: async () => ['s'],
      read: async (_: string, after: string | null, limit: number) =>
        entries(Number(after ?? 0) + 1, count).slice(0, limit),
    },
    consumer: {
      async consumeBatch(_: string, batch: readonly StreamEntry[]) {
        copied.push(...batch.map(({ sequence }) => Number(sequence)))
        if (checkpoint.failing) throw new Error('the table is out of reach')
        return batch.length
      },
    },
    checkpoint: {
      read: async () => checkpoint.stored,
      write: async (_: string, sequence: string) => {
        checkpoint.stored = sequence
      },
    },
  }
  return { copied, checkpoint, start: () => createLiveFeed(services) }
}

test('a feed copies a backlog in large batches and remembers where it is', async () => {
  const { copied, checkpoint, start } = openFeed(4_500)
  await start().copyAll(signal)
  expect(copied).toEqual(entries(1, 4_500).map(({ sequence }) => Number(sequence)))
  expect(checkpoint.stored).toBe('4500')
})

test('a restarted feed goes on after its checkpoint, and a new one begins with the first record', async () => {
  const restarted = openFeed(5, { stored: '3' })
  await restarted.start().copyAll(signal)
  expect(restarted.copied).toEqual([4, 5])
  const first = openFeed(5)
  await first.start().copyAll(signal)
  expect(first.copied).toEqual([1, 2, 3, 4, 5])
})

test('a batch that failed is copied again', async () => {
  const { copied, checkpoint, start } = openFeed(2)
  const feed = start()
  checkpoint.failing = true
  await expect(feed.copyAll(signal)).rejects.toThrow()
  expect(checkpoint.stored).toBe(null)
  checkpoint.failing = false
  await feed.copyAll(signal)
  expect(copied).toEqual([1, 2, 1, 2])
})
