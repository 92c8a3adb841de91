import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimedEvents } from '#core/usage/counters'
import { createUsageStore } from '#core/usage/store'
import { system } from '#cost/system'
import { openMeteredState } from './metered-state.ts'

/** Counts the units of the counters on a real table, and compares them with the model. A write unit is 1 KB, a read unit 4 KB. */

const BUCKETS = system.lake.buckets
let state: Awaited<ReturnType<typeof openMeteredState>>
beforeEach(async () => {
  state = await openMeteredState()
})
afterEach(() => state.close())

function randomId(): string {
  return randomBytes(8).toString('hex')
}

/** One claim of projects that each have an account of their own, or all the same. */
function claimOf(projects: number, accounts: number): ClaimedEvents[] {
  const accountIds = Array.from({ length: accounts }, () => `acc_${randomId()}`)
  return Array.from({ length: projects }, (_, i) => ({
    project_id: `proj_${randomId()}`,
    account_id: accountIds[i % accounts] ?? '',
    bucket: i % BUCKETS,
    day: '2026-11-21',
    events: 1 + ((i * 7_919) % 1_000),
  }))
}

function itemBytes(projects: number): number {
  const { headBytes, projectBytes } = system.state.openCounts
  return headBytes + projects * projectBytes
}

test.each([
  [1, 1],
  [1_800, 1],
  [1_800, 1_800],
])(
  'a claim of %d projects of %d accounts is one item, of at most the modelled size',
  async (projects, accounts) => {
    const usage = createUsageStore(state)
    const counts = claimOf(projects, accounts)
    const epoch = projects + accounts
    await usage.addClaim({ shard: 's', epoch, last: '1' }, counts)
    const { reads, writes } = await state.measure(() =>
      usage.addClaim({ shard: 's', epoch, last: '2' }, counts),
    )
    expect(reads).toBe(0)
    expect(writes).toBeLessThanOrEqual(Math.ceil(itemBytes(projects) / 1_024))
    // A process that knows nothing of the shard reads the item first.
    const cold = await state.measure(() =>
      createUsageStore(state).addClaim({ shard: 's', epoch, last: '3' }, counts),
    )
    expect(cold.reads).toBeLessThanOrEqual(Math.ceil(itemBytes(projects) / 4_096))
  },
)

test('a fold writes two items a project and one for each account and bucket; a repetition costs the same', async () => {
  const usage = createUsageStore(state)
  const counts = claimOf(70, 1)
  await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, counts)
  const { project, accountBucket } = system.state.fold
  const foldAll = async () => {
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      await usage.foldEpoch(
        1,
        bucket,
        counts.filter(count => count.bucket === bucket),
      )
  }
  const expected = { reads: 1, writes: project * 70 + accountBucket * BUCKETS }
  expect(await state.measure(foldAll)).toEqual(expected)
  expect((await state.measure(foldAll)).writes).toBe(expected.writes)
})

test('the totals of forty projects are one read each beside the open counts, however many months they have', async () => {
  const usage = createUsageStore(state)
  const counts = claimOf(40, 1)
  const ids = counts.map(({ project_id }) => project_id)
  for (const [i, day] of ['2026-09-01', '2026-10-01', '2026-11-01'].entries()) {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const stored = counts.filter(count => count.bucket === bucket).map(count => ({ ...count, day }))
      await usage.foldEpoch(i + 1, bucket, stored)
    }
  }
  await usage.addClaim({ shard: 's', epoch: 5, last: '1' }, counts)
  const units = await state.measure(() => usage.totals(ids))
  expect(units).toEqual({ reads: 40 + Math.ceil(itemBytes(40) / 4_096), writes: 0 })
})

test('deleting open counts costs a write of the item, and one read unit a tick at most when there is nothing to delete', async () => {
  const usage = createUsageStore(state)
  const watermarks = Array.from({ length: BUCKETS }, (_, bucket) => ({ bucket, compacted: 2 }))
  await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, claimOf(1_800, 1_800))
  const deletion = await state.measure(() => usage.deleteFoldedCounts(watermarks))
  expect(deletion.writes).toBeLessThanOrEqual(Math.ceil(itemBytes(1_800) / 1_024))
  const idle = await state.measure(() => usage.deleteFoldedCounts(watermarks))
  expect(idle.reads).toBeLessThanOrEqual(1)
  expect(idle.writes).toBe(0)
})
