import { bucketOf } from '#core/state/bucket-of'
import type { ClaimedEvents, UsageCounters } from '#core/usage/counters'

const epochs = new WeakMap<object, number>()

/**
 * Counts events as the consumer does, each call in an epoch of its own: they are open, as those of the newest
 * claims are.
 */
export async function countEvents(
  usage: Pick<UsageCounters, 'addClaim'>,
  ...counts: (Pick<ClaimedEvents, 'day' | 'events'> & Partial<ClaimedEvents>)[]
): Promise<void> {
  const epoch = (epochs.get(usage) ?? 0) + 1
  epochs.set(usage, epoch)
  await usage.addClaim(
    { shard: 'shard-1', epoch, last: String(epoch) },
    counts.map(({ project_id = 'another-project', ...count }) => ({
      account_id: 'another-account',
      bucket: bucketOf(project_id),
      times: { first: Date.parse(count.day), last: Date.parse(count.day) },
      project_id,
      ...count,
    })),
  )
}
