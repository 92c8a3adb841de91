import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimedEvents } from '#core/usage/counters'
import { createUsageStore } from '#core/usage/store'
import { system } from '#cost/system'
import { projectIdOf } from '#test/support/project-ids'
import { openMeteredState } from './metered-state.ts'

/**
 * Counts the units of the counters on a real table, and compares them with the model. A write unit is 1 KB, a
 * read unit 4 KB.
 */

const BUCKETS = system.lake.buckets
let state: Awaited<ReturnType<typeof openMeteredState>>
beforeEach(async () => {
  state = await openMeteredState()
})
afterEach(() => state.close())

const NOON = Date.parse('2026-11-21T12:00:00Z')

function randomId(): string {
  return randomBytes(8).toString('hex')
}

/** Of the largest claim. To find an id of a bucket takes many tries. */
const projectIds = Array.from({ length: 1_800 }, (_, i) => projectIdOf(i % BUCKETS, `proj_${randomId()}_`))

/** One claim of projects that each have an account of their own, or all the same. */
function claimOf(projects: number, accounts: number): ClaimedEvents[] {
  const accountIds = Array.from({ length: accounts }, () => `acc_${randomId()}`)
  return projectIds.slice(0, projects).map((project_id, i) => {
    const account_id = accountIds[i % accounts] ?? ''
    const events = 1 + ((i * 7_919) % 1_000)
    const times = { first: NOON + i * 7_919, last: NOON + i * 104_729 }
    return { project_id, account_id, bucket: i % BUCKETS, day: '2026-11-21', events, times }
  })
}

const { partitions: PARTITIONS, headBytes, ownerBytes } = system.state.openCounts

/** Units of items with the open counts of these owners, if the partitions had equally many. */
function unitsOfOwners(owners: number, unitBytes: number): number {
  const items = Math.min(PARTITIONS, owners)
  return items * Math.ceil((headBytes + (owners / items) * ownerBytes) / unitBytes)
}

test.each([
  [1, 1],
  [1_800, 1],
  [1_800, 1_800],
])(
  'a claim of %d projects of %d accounts is an item for each partition, of about the modelled size',
  async (projects, accounts) => {
    const usage = createUsageStore(state)
    const counts = claimOf(projects, accounts)
    const epoch = projects + accounts
    await usage.addClaim({ shard: 's', epoch, last: '1' }, counts)
    const { reads, writes } = await state.measure(() =>
      usage.addClaim({ shard: 's', epoch, last: '2' }, counts),
    )
    expect(reads).toBe(0)
    // The partitions differ in size.
    expect(writes).toBeLessThanOrEqual(unitsOfOwners(projects + accounts, 1_024) * 1.1)
    // A process that knows nothing of the shard reads the item first.
    const cold = await state.measure(() =>
      createUsageStore(state).addClaim({ shard: 's', epoch, last: '3' }, counts),
    )
    expect(cold.reads).toBeLessThanOrEqual(unitsOfOwners(projects + accounts, 4_096) * 1.1)
  },
)

test('a fold writes two items a project and one for each account and bucket; a repetition costs the same', async () => {
  const usage = createUsageStore(state)
  const counts = claimOf(70, 1)
  await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, counts)
  const { project, projectReads, accountBucket } = system.state.fold
  const foldAll = async () => {
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      await usage.foldEpoch(
        1,
        bucket,
        counts.filter(count => count.bucket === bucket),
      )
  }
  const expected = { reads: PARTITIONS + projectReads * 70, writes: project * 70 + accountBucket * BUCKETS }
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
  expect(units).toEqual({ reads: 40 + PARTITIONS, writes: 0 })
})

test('deleting open counts costs a write of each item, and a tick nothing when no bucket was compacted', async () => {
  const usage = createUsageStore(state)
  const watermarks = Array.from({ length: BUCKETS }, (_, bucket) => ({ bucket, compacted: 2 }))
  await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, claimOf(1_800, 1_800))
  const deletion = await state.measure(() => usage.deleteFoldedCounts(watermarks))
  expect(deletion.writes).toBeLessThanOrEqual(unitsOfOwners(3_600, 1_024) * 1.1)
  const idle = await state.measure(() => usage.deleteFoldedCounts(watermarks))
  expect(idle).toEqual({ reads: 0, writes: 0 })
})
