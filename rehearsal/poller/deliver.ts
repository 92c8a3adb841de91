import type { MappingSettings } from './settings.ts'
import type { PolledRecord, Time } from './shard.ts'

/**
 * The outcome of an invocation: a response, an error of the function, or no invocation (throttled, no
 * connection).
 */
export type Outcome =
  | { kind: 'responded'; response: unknown }
  | { kind: 'failed'; reason: string }
  | { kind: 'refused'; reason: string }

export type Invoke = (records: readonly PolledRecord[]) => Promise<Outcome>

export type DeliverServices = {
  invoke: Invoke
  time: Time
  /** Reports that all records up to this sequence are processed or discarded. */
  checkpoint(sequence: string): void
  /** Reports discarded records. Lambda sends these to the failure destination. */
  onDiscarded(records: readonly PolledRecord[], reason: string): void
}

/** The wait between tries starts here and doubles. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/**
 * Calls the function with a batch until every record is processed or discarded, as Lambda does for a stream.
 * A failed batch is retried, in halves when the mapping says so. When a response names failed records, the
 * records from the first of them on are retried. Returns early when `stop` aborts.
 */
export function createDelivery(settings: MappingSettings, services: DeliverServices) {
  const { invoke, time, checkpoint, onDiscarded } = services

  async function deliver(batch: readonly PolledRecord[], stop: AbortSignal): Promise<void> {
    const queue = [{ records: batch, failures: 0 }]
    while (queue.length > 0 && !stop.aborted) {
      const portion = queue.shift() as (typeof queue)[number]
      const records = dropOld(portion.records)
      if (records.length === 0) continue
      const outcome = await invoke(records)
      const processedCount = countProcessed(records, outcome, settings.reportsFailures)
      const last = records[processedCount - 1]
      if (last !== undefined) checkpoint(last.sequence)
      const rest = records.slice(processedCount)
      if (rest.length === 0) continue

      // These do not count as retries: a split, a partial success, and a function that was not invoked.
      const isWholeFailure = processedCount === 0 && outcome.kind !== 'refused'
      if (isWholeFailure && outcome.kind === 'failed' && settings.bisects && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2)
        queue.unshift(
          { records: rest.slice(0, middle), failures: 0 },
          { records: rest.slice(middle), failures: 0 },
        )
        continue
      }
      const failures = isWholeFailure ? portion.failures + 1 : portion.failures
      if (failures > settings.retries) {
        discard(rest, 'no retries left')
        continue
      }
      queue.unshift({ records: rest, failures })
      await time.sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)), stop)
    }
  }

  function dropOld(records: readonly PolledRecord[]): readonly PolledRecord[] {
    const oldest = time.now() - settings.maxAgeMs
    const recentRecords = records.filter(({ arrivedAt }) => arrivedAt >= oldest)
    if (recentRecords.length < records.length) {
      discard(
        records.filter(({ arrivedAt }) => arrivedAt < oldest),
        'too old',
      )
    }
    return recentRecords
  }

  function discard(records: readonly PolledRecord[], reason: string): void {
    onDiscarded(records, reason)
    checkpoint((records.at(-1) as PolledRecord).sequence)
  }

  return { deliver }
}

/**
 * Returns how many records from the start are processed. A response without failures is a success. A response
 * with a wrong shape, or with a record that is not in the batch, fails the whole batch.
 */
function countProcessed(
  records: readonly PolledRecord[],
  outcome: Outcome,
  reportsFailures: boolean,
): number {
  if (outcome.kind !== 'responded') return 0
  if (!reportsFailures) return records.length
  const failures = (outcome.response as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? []
  if (!Array.isArray(failures)) return 0
  const failedIndexes = failures.map(failure =>
    records.findIndex(
      ({ sequence }) => sequence === (failure as { itemIdentifier?: unknown })?.itemIdentifier,
    ),
  )
  if (failedIndexes.includes(-1)) return 0
  return Math.min(records.length, ...failedIndexes)
}
