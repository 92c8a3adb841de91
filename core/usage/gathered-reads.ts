import { forEachConcurrent } from '#core/async/concurrency'
import { createGatherer } from '#core/async/gatherer'
import type { Clock, Log } from '#core/ports'
import type { UsageStore } from './store.ts'

type ReadCount = { projectId: string | null; accountId: string | null; day: string; reads: number }

const MAX_WAITING = 10_000
const CONCURRENCY = 16

/**
 * The counters of a process that goes on after its responses. It adds up the reads of `waitMs` before it
 * writes them. Who reads a number in this process gets all of them, because they are written first. A killed
 * process loses the reads of `waitMs`. Reads under a monthly cap are not among them: they are counted in
 * advance (reserveRead).
 */
export function gatherReads(
  usage: UsageStore,
  { waitMs, clock, log }: { waitMs: number; clock: Pick<Clock, 'deadline'>; log: Log },
): UsageStore & { flush(): Promise<void> } {
  const { add, flush } = createGatherer<ReadCount>({ write, waitMs, maxEntries: MAX_WAITING, clock })

  async function write(counts: readonly ReadCount[]): Promise<void> {
    await forEachConcurrent(sumsOf(counts), CONCURRENCY, ({ projectId, accountId, day, reads }) =>
      usage
        .addRead(projectId, accountId, day, reads)
        .catch(error => log('READ_NOT_COUNTED', { reads, error: String(error) })),
    )
  }

  return {
    ...usage,
    addRead: (projectId, accountId, day, reads = 1) => add({ projectId, accountId, day, reads }),
    async totals(projectIds) {
      await flush()
      return usage.totals(projectIds)
    },
    async month(...args) {
      await flush()
      return usage.month(...args)
    },
    flush,
  }
}

/** One count for each project and day, and one for each account and day. */
function sumsOf(counts: readonly ReadCount[]): ReadCount[] {
  const owners = counts.flatMap(({ projectId, accountId, day, reads }) => [
    { projectId, accountId: null, day, reads },
    { projectId: null, accountId, day, reads },
  ])
  const groups = Map.groupBy(
    owners.filter(({ projectId, accountId }) => projectId !== null || accountId !== null),
    ({ projectId, accountId, day }) => `${projectId ?? accountId} ${day}`,
  )
  return [...groups.values()].map(group => ({
    ...(group[0] as ReadCount),
    reads: group.reduce((sum, { reads }) => sum + reads, 0),
  }))
}
