import { forEachConcurrent } from '#core/async/concurrency'
import { countFitting } from '#core/ingest/fitting-entries'
import type { Claim } from '#core/lake/model/claim'
import { hotKey, identityKey } from '#core/lake/model/keys'
import { isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore, ShardState } from '#core/lake/model/state'
import type { EventStream, Lake, Log, Now, StreamEntry } from '#core/ports'
import type { EventIdNotes } from '#core/projects/project'
import type { UsageCounters } from '#core/usage/counters'
import { encodeHot } from './encode-hot.ts'
import type { HotColumns } from './hot-columns.ts'
import { setAside } from './set-aside.ts'
import { type EncodedEntries, encodeEntries } from './unpack-entries.ts'

export type LakeConsumerServices = {
  state: LakeStateStore
  stream: Pick<EventStream, 'read'>
  lake: Lake
  usage: Pick<UsageCounters, 'addClaim' | 'addBots'>
  projects: EventIdNotes
  /** Called after a claim with identify requests, so that the fold need not look for them. */
  onIdentities?: () => void
  clock: Now
  log: Log
  /** Encodes a hot file. The simulator uses a cheaper encoding. */
  encode?: (rows: HotColumns) => Uint8Array
  /** The largest claim in unpacked bytes. Default: CLAIM_BYTES. */
  claimBytes?: number
}

/**
 * The largest claim, in records and in unpacked bytes. Every try of a claim reads it whole, so it must fit
 * into the memory of a small Lambda function. As rows (50,000 to 200,000) it takes four to twenty times these
 * bytes.
 */
export const CLAIM_RECORDS = 5_000
export const CLAIM_BYTES = 24_000_000

/** Tries of a batch without progress, before the batch is returned to the stream as failed. */
const BATCH_TRIES = 3
/** Projects that are noted as senders of event_ids at the same time. */
const NOTES_AT_ONCE = 16

/**
 * The lake consumer: moves the records of a shard into hot files, each record into exactly one file. It
 * claims a range of records by a conditional write, writes the file of the claim, then raises highWater. The
 * key and the content of the file follow from the claim and the stream alone. So a crash, a late write of a
 * dead process, or a batch with other bounds only repeats the same work. core/lake/README.md shows the states
 * of a claim.
 */
export function createLakeConsumer(services: LakeConsumerServices) {
  const { state, stream, lake, usage, projects, onIdentities, clock, log } = services
  const { encode = encodeHot, claimBytes = CLAIM_BYTES } = services

  /**
   * Moves the next records of the shard into the lake, at most one claim. `batch` holds entries that the
   * caller has already read, in ascending order; the stream is read only for records of the claim that are
   * not in the batch. Returns the number of records; 0 if there were none, or if another consumer was faster.
   */
  async function consume(shard: string, batch: readonly StreamEntry[] = []): Promise<number> {
    const { claim: openClaim, highWater, epoch } = await joinEpoch(shard)
    if (openClaim !== null) return finishClaim(shard, openClaim, highWater, batch)
    const entries = await nextEntries(shard, highWater, batch)
    const [first, last] = [entries[0], entries.at(-1)]
    if (first === undefined || last === undefined || epoch === null) return 0
    const claim = { first: first.sequence, last: last.sequence, epoch }
    if (!(await state.claim(shard, claim, highWater, clock.now()))) return 0
    return writeClaim(shard, claim, entries)
  }

  /**
   * Moves a whole batch of a Kinesis event source into the lake. When it resolves, highWater is at or beyond
   * the last entry of the batch, by this consumer's work or by another's. Throws if there is no progress;
   * then the batch is delivered again, perhaps with other bounds.
   */
  async function consumeBatch(shard: string, batch: readonly StreamEntry[]): Promise<void> {
    const last = batch.at(-1)
    if (last === undefined) return
    for (let tries = 0; tries < BATCH_TRIES; tries++) {
      const consumedRecords = await consume(shard, batch)
      const { highWater } = await state.shard(shard)
      if (!isBeyond(last.sequence, highWater)) return
      if (consumedRecords > 0) tries = 0
    }
    throw new Error(`Another consumer holds shard ${shard}`)
  }

  /** Repeats the work of an open claim, for exactly its range. Returns the number of records. */
  async function finishClaim(
    shard: string,
    claim: Claim,
    highWater: string | null,
    batch: readonly StreamEntry[] = [],
  ): Promise<number> {
    const entries = coversClaim(batch, highWater, claim)
      ? batch
      : await readRange(stream, shard, highWater, claim.last)
    const claimedEntries = entries.filter(entry => isInClaim(entry.sequence, claim))
    if (!isComplete(claimedEntries, claim))
      log('RECORDS_MISSING', { shard, ...claim, found: claimedEntries.length })
    // A file from an earlier try is whole, so it stays: the stream may have lost records since, and an
    // erasure may have changed both.
    const isMissing = (await lake.get(hotKey(shard, claim), 1)) === null
    return writeClaim(shard, claim, claimedEntries, isMissing)
  }

  /**
   * Writes the files of a claim again from the stream, because one is damaged. Returns false and changes
   * nothing if the stream no longer has all records of the claim.
   */
  async function rewriteHotFile(shard: string, claim: Claim): Promise<boolean> {
    const before = String(BigInt(claim.first) - 1n).padStart(claim.first.length, '0')
    const entries = await readRange(stream, shard, before, claim.last)
    const claimedEntries = entries.filter(entry => isInClaim(entry.sequence, claim))
    if (!isComplete(claimedEntries, claim)) return false
    await writeFiles(shard, claim, encodeEntries(claimedEntries, encode))
    return true
  }

  /** Returns the state of the shard. A new shard joins the current epoch first. */
  async function joinEpoch(shard: string): Promise<ShardState> {
    const shardState = await state.shard(shard)
    if (shardState.epoch !== null) return shardState
    // The item of the shard must exist before the epoch is read. Maintenance raises the epoch of the lake,
    // then that of all shards it lists. If it lists this shard, it raises its epoch. If not, the read below
    // gets the raised epoch.
    await state.addShard(shard)
    const { epoch } = await state.lake()
    await state.joinEpoch(shard, epoch)
    return state.shard(shard)
  }

  /** The entries after highWater that the next claim takes. */
  async function nextEntries(shard: string, highWater: string | null, batch: readonly StreamEntry[]) {
    const newEntries = batch.filter(entry => isBeyond(entry.sequence, highWater))
    const entries = batch.length > 0 ? newEntries : await stream.read(shard, highWater, CLAIM_RECORDS)
    return entries.slice(0, claimSize(entries, claimBytes))
  }

  /** Does all work of an open claim and ends it. Returns the number of records. */
  async function writeClaim(
    shard: string,
    claim: Claim,
    entries: readonly StreamEntry[],
    mayWriteFile = true,
  ): Promise<number> {
    const encoded = encodeEntries(entries, encode)
    const { records, projectsWithEventIds, unreadableRecords, events, bots } = encoded
    await setAside({ lake, log }, shard, claim, unreadableRecords)
    // Erasures reach as far as the newest arrival. Only a clock that was ahead makes this write.
    const newest = records.reduce((latest, { received_at }) => Math.max(latest, received_at), 0)
    if (newest > clock.now()) await state.noteArrivalAhead(shard, newest)
    // Reads look for copies only in projects that are known to send event_ids, so this comes before the file.
    await forEachConcurrent([...projectsWithEventIds], NOTES_AT_ONCE, projects.noteEventIds)
    if (mayWriteFile) await writeFiles(shard, claim, encoded)
    await usage.addClaim({ shard, ...claim }, events)
    await usage.addBots(shard, claim.last, bots)
    await state.commit(shard, claim)
    if (records.some(({ kind }) => kind === 'identify')) onIdentities?.()
    return entries.length
  }

  /** The hot file comes last: where it exists, the claim has all its files. */
  async function writeFiles(
    shard: string,
    claim: Claim,
    { hot, identity }: Pick<EncodedEntries, 'hot' | 'identity'>,
  ): Promise<void> {
    if (identity !== null) await lake.put(identityKey(shard, claim), identity)
    await lake.put(hotKey(shard, claim), hot)
  }

  return { consume, consumeBatch, finishClaim, rewriteHotFile }
}

export type LakeConsumer = ReturnType<typeof createLakeConsumer>

/** How many of the entries fit into one claim. */
export function claimSize(entries: readonly StreamEntry[], claimBytes = CLAIM_BYTES): number {
  return countFitting(entries, { records: CLAIM_RECORDS, bytes: claimBytes })
}

/**
 * Whether the first and the last record of the claim are there. A stream never loses records between them
 * alone.
 */
function isComplete(claimedEntries: readonly StreamEntry[], claim: Claim): boolean {
  return claimedEntries[0]?.sequence === claim.first && claimedEntries.at(-1)?.sequence === claim.last
}

/** All entries of the shard with `after` < sequence <= `last`. */
async function readRange(
  stream: Pick<EventStream, 'read'>,
  shard: string,
  after: string | null,
  last: string,
): Promise<StreamEntry[]> {
  const entries: StreamEntry[] = []
  for (let position = after; ; ) {
    const page = await stream.read(shard, position, CLAIM_RECORDS)
    for (const entry of page) {
      if (isBeyond(entry.sequence, last)) return entries
      entries.push(entry)
    }
    const lastEntry = page.at(-1)
    if (lastEntry === undefined || lastEntry.sequence === last) return entries
    position = lastEntry.sequence
  }
}

/** Whether the batch has all records of the claim. All records of the claim come after highWater. */
function coversClaim(batch: readonly StreamEntry[], highWater: string | null, claim: Claim): boolean {
  const [first, last] = [batch[0], batch.at(-1)]
  if (first === undefined || last === undefined) return false
  const hasFirstRecord = first.sequence === claim.first || !isBeyond(first.sequence, highWater)
  return hasFirstRecord && !isBeyond(claim.last, last.sequence)
}

function isInClaim(sequence: string, claim: Claim): boolean {
  return !isBeyond(claim.first, sequence) && !isBeyond(sequence, claim.last)
}
