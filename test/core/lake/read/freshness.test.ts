import { expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import { createFreshness } from '#core/lake/read/freshness'
import type { StreamEntry } from '#core/ports'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')

function entryOf(sequence: string, received_at: number): StreamEntry {
  const record = {
    kind: 'bots' as const,
    project_id: 'p',
    account_id: 'a',
    category: 'c',
    actor: 'x',
    dropped: 1,
  }
  return { sequence, data: packRecord({ ...record, received_at }) }
}

async function freshUntil(entries: StreamEntry[], consumed: string | null) {
  const state = createMemoryLakeState()
  await state.addShard('0')
  await state.joinEpoch('0', 1)
  if (consumed !== null) {
    const claim = { first: '1', last: consumed, epoch: 1 }
    await state.claim('0', claim, null, NOW)
    await state.commit('0', claim)
  }
  const stream = {
    shards: async () => ['0'],
    read: async (_: string, after: string | null, limit: number) =>
      entries.filter(({ sequence }) => BigInt(sequence) > BigInt(after ?? 0)).slice(0, limit),
  }
  return createFreshness({ state, stream, clock: { now: () => NOW } })()
}

test('a lake that holds every record of the stream is fresh until now', async () => {
  expect(await freshUntil([], null)).toBe(NOW)
  expect(await freshUntil([entryOf('1', NOW - 5_000)], '1')).toBe(NOW)
})

test('a lake is fresh until the arrival of the oldest record that only the stream has', async () => {
  const entries = [entryOf('1', NOW - 9_000), entryOf('2', NOW - 5_000), entryOf('3', NOW - 1_000)]
  expect(await freshUntil(entries, null)).toBe(NOW - 9_000)
  expect(await freshUntil(entries, '1')).toBe(NOW - 5_000)
})

test('freshness is not known while the next record cannot be read', async () => {
  expect(await freshUntil([{ sequence: '1', data: Buffer.from('bad') }], null)).toBe(null)
})
