import type { MappingSettings } from './settings.ts'
import type { PolledRecord, Time } from './shard.ts'

/** How an invocation ended: with the function's answer, with its error, or not at all (throttled, no connection). */
export type Outcome =
  | { kind: 'answered'; answer: unknown }
  | { kind: 'failed'; reason: string }
  | { kind: 'refused'; reason: string }

export type Invoke = (records: readonly PolledRecord[]) => Promise<Outcome>

export type DeliverServices = {
  invoke: Invoke
  time: Time
  /** Everything up to this record is done with. */
  checkpoint(sequence: string): void
  /** Records that are given up, which the failure destination would hear of. */
  onGivenUp(records: readonly PolledRecord[], reason: string): void
}

/** Waits between tries; they double. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/**
 * Brings a batch to the function until every record of it is done with or given up, as Lambda does for a stream:
 * a batch that fails is tried again, in halves where the mapping says so; an answer that names failed records moves the
 * checkpoint to the first of them, and the records from there on are brought again. Returns early when `stop` aborts.
 */
export function createDelivery(settings: MappingSettings, services: DeliverServices) {
  const { invoke, time, checkpoint, onGivenUp } = services

  async function deliver(batch: readonly PolledRecord[], stop: AbortSignal): Promise<void> {
    const portions = [{ records: batch, failures: 0 }]
    while (portions.length > 0 && !stop.aborted) {
      const portion = portions.shift() as (typeof portions)[number]
      const records = dropOld(portion.records)
      if (records.length === 0) continue
      const outcome = await invoke(records)
      const done = doneWith(records, outcome, settings.reportsFailures)
      const last = records[done - 1]
      if (last !== undefined) checkpoint(last.sequence)
      const rest = records.slice(done)
      if (rest.length === 0) continue

      // A split and a part that went well do not count as retries; neither does a function that was not reached.
      const isWhole = done === 0 && outcome.kind !== 'refused'
      if (isWhole && outcome.kind === 'failed' && settings.bisects && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2)
        portions.unshift(
          { records: rest.slice(0, middle), failures: 0 },
          { records: rest.slice(middle), failures: 0 },
        )
        continue
      }
      const failures = isWhole ? portion.failures + 1 : portion.failures
      if (failures > settings.retries) {
        giveUp(rest, 'no retries left')
        continue
      }
      portions.unshift({ records: rest, failures })
      await time.sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)), stop)
    }
  }

  function dropOld(records: readonly PolledRecord[]): readonly PolledRecord[] {
    const oldest = time.now() - settings.maxAgeMs
    const young = records.filter(({ arrivedAt }) => arrivedAt >= oldest)
    if (young.length < records.length) {
      giveUp(
        records.filter(({ arrivedAt }) => arrivedAt < oldest),
        'too old',
      )
    }
    return young
  }

  function giveUp(records: readonly PolledRecord[], reason: string): void {
    onGivenUp(records, reason)
    checkpoint((records.at(-1) as PolledRecord).sequence)
  }

  return { deliver }
}

/**
 * How many records from the start are done with. An answer without failures is a success; one that cannot be read, or
 * names a record that was not sent, fails the batch as a whole.
 */
function doneWith(records: readonly PolledRecord[], outcome: Outcome, reportsFailures: boolean): number {
  if (outcome.kind !== 'answered') return 0
  if (!reportsFailures) return records.length
  const failures = (outcome.answer as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? []
  if (!Array.isArray(failures)) return 0
  const failed = failures.map(failure =>
    records.findIndex(
      ({ sequence }) => sequence === (failure as { itemIdentifier?: unknown })?.itemIdentifier,
    ),
  )
  if (failed.includes(-1)) return 0
  return Math.min(records.length, ...failed)
}
