import { type StreamRecord, unpackedBytes, unpackRecord } from '#core/ingest/record'
import type { Clock, EventStream, Lake, Log, StreamEntry } from '#core/ports'
import type { EventIdNotes } from '#core/projects/project'
import type { UsageCounters } from '#core/usage/counters'
import { countRecords } from './counts.ts'
import { hotKey, quarantineKey } from './keys.ts'
import { encodeHot } from './parquet.ts'
import { type HotRow, toHotRows } from './rows.ts'
import { isBeyond } from './sequence.ts'
import type { Claim, LakeStateStore, ShardState } from './state.ts'

export type LakeConsumerServices = {
  state: LakeStateStore
  stream: Pick<EventStream, 'read'>
  lake: Lake
  usage: Pick<UsageCounters, 'addEvents' | 'addBots'>
  projects: EventIdNotes
  clock: Clock
  log: Log
  /** Makes the bytes of a hot file; the simulator brings a cheaper one. */
  encode?: (rows: readonly HotRow[]) => Uint8Array
}

/**
 * One claim at most. It is read as a whole, now and at every later try, so it must fit a small Lambda's memory whatever
 * senders send: unpacked it takes four to twenty times these bytes as rows, which are 50,000 to 200,000.
 */
export const CLAIM_RECORDS = 5_000
export const CLAIM_BYTES = 24_000_000

/** How often a batch that makes no progress is tried before it is given back. */
const BATCH_TRIES = 3

/** A record that cannot be read, as the quarantine object keeps it. */
type Unreadable = { sequence: string; reason: string; data: string }

/**
 * The lake consumer: takes a shard's records into hot files so that each record is in exactly one of them, whatever
 * happens in between (design.md, Claims). A range is claimed by a conditional write before its file is written; the
 * file's key and content follow from the claim and the stream alone; highWater moves when all of it is done. So a
 * crash at any point, a late write of a dead process or a batch cut elsewhere repeats the same work and changes nothing.
 */
export function createLakeConsumer(services: LakeConsumerServices) {
  const { state, stream, lake, usage, projects, clock, log, encode = encodeHot } = services

  /**
   * Takes what the shard has beyond its highWater, up to CLAIM_RECORDS, into the lake. `batch`: entries at hand, in
   * ascending order, so that the stream is read again only where a claim reaches beyond them. Returns how many
   * records were taken; 0 when there was nothing, or another consumer was faster.
   */
  async function consume(shard: string, batch: readonly StreamEntry[] = []): Promise<number> {
    const found = await joinedShard(shard)
    if (found.claim !== null) return finishClaim(shard, found.claim, found.highWater, batch)
    const entries = await pending(shard, found.highWater, batch)
    const [first, last] = [entries[0], entries.at(-1)]
    if (first === undefined || last === undefined || found.epoch === null) return 0
    const claim = { first: first.sequence, last: last.sequence, epoch: found.epoch }
    if (!(await state.claim(shard, claim, found.highWater, clock.now()))) return 0
    return write(shard, claim, entries)
  }

  /**
   * Takes a whole batch into the lake, as a Kinesis mapping delivers it: when it resolves, every entry of the batch is
   * at or below highWater, by this consumer's work or by another's. Throws when it cannot get there; the batch comes
   * again then, perhaps cut elsewhere.
   */
  async function consumeBatch(shard: string, batch: readonly StreamEntry[]): Promise<void> {
    const last = batch.at(-1)
    if (last === undefined) return
    for (let tries = 0; tries < BATCH_TRIES; tries++) {
      const taken = await consume(shard, batch)
      const { highWater } = await state.shard(shard)
      if (!isBeyond(last.sequence, highWater)) return
      if (taken > 0) tries = 0
    }
    throw new Error(`shard ${shard} is held by another consumer`)
  }

  /** Does an open claim again, with exactly its range. */
  async function finishClaim(
    shard: string,
    claim: Claim,
    highWater: string | null,
    batch: readonly StreamEntry[] = [],
  ): Promise<number> {
    const entries = coversClaim(batch, highWater, claim)
      ? batch
      : await readRange(stream, shard, highWater, claim.last)
    const within = entries.filter(entry => isBetween(entry.sequence, claim))
    const complete = isComplete(within, claim)
    if (!complete) log('RECORDS_MISSING', { shard, ...claim, found: within.length })
    // A file that was made when the stream still had the records must not be replaced by one with fewer.
    return write(shard, claim, within, complete || (await lake.get(hotKey(shard, claim))) === null)
  }

  /**
   * Makes the hot file of a claim again from the stream, for one that is damaged. False when the stream no longer
   * holds the whole range; then nothing is changed.
   */
  async function rewriteHotFile(shard: string, claim: Claim): Promise<boolean> {
    const before = String(BigInt(claim.first) - 1n).padStart(claim.first.length, '0')
    const within = (await readRange(stream, shard, before, claim.last)).filter(entry =>
      isBetween(entry.sequence, claim),
    )
    if (!isComplete(within, claim)) return false
    await lake.put(hotKey(shard, claim), encode(read(within).rows))
    return true
  }

  /** The shard's state, once it takes part in the current epoch. */
  async function joinedShard(shard: string): Promise<ShardState> {
    const found = await state.shard(shard)
    if (found.epoch !== null) return found
    // The item must exist before the epoch is read: a closer that does not see it in its listing had raised the
    // epoch before, so that this read gives the new one; a closer that does see it raises it itself.
    await state.addShard(shard)
    const { epoch } = await state.lake()
    await state.joinEpoch(shard, epoch)
    return state.shard(shard)
  }

  async function pending(shard: string, highWater: string | null, batch: readonly StreamEntry[]) {
    const beyond = batch.filter(entry => isBeyond(entry.sequence, highWater))
    const entries = batch.length > 0 ? beyond : await stream.read(shard, highWater, CLAIM_RECORDS)
    return entries.slice(0, claimSize(entries))
  }

  async function write(
    shard: string,
    claim: Claim,
    entries: readonly StreamEntry[],
    replace = true,
  ): Promise<number> {
    const { records, rows, unreadable } = read(entries)
    if (unreadable.length > 0) {
      await lake.put(
        quarantineKey(shard, claim),
        Buffer.from(unreadable.map(line => `${JSON.stringify(line)}\n`).join('')),
      )
      log('RECORD_QUARANTINED', { shard, records: unreadable.length, key: quarantineKey(shard, claim) })
    }
    // Before the rows can be read: reads look for copies only where a project is known to send event_ids.
    const senders = new Set(rows.filter(row => row.event_id !== null).map(row => String(row.project_id)))
    for (const project of senders) await projects.noteEventIds(project)
    if (replace) await lake.put(hotKey(shard, claim), encode(rows))
    const { events, bots } = countRecords(records)
    await usage.addEvents(shard, claim.last, events)
    await usage.addBots(shard, claim.last, bots)
    await state.commit(shard, claim)
    return entries.length
  }

  return { consume, consumeBatch, finishClaim, rewriteHotFile }
}

export type LakeConsumer = ReturnType<typeof createLakeConsumer>

/** How many of the entries one claim takes; at least one where there is one. */
function claimSize(entries: readonly StreamEntry[]): number {
  let bytes = 0
  let records = 0
  for (const entry of entries.slice(0, CLAIM_RECORDS)) {
    bytes += unpackedBytes(entry.data)
    if (records > 0 && bytes > CLAIM_BYTES) break
    records += 1
  }
  return records
}

/**
 * Unpacks entries; what cannot be read is kept aside with its reason and never stops the others. A record that is there
 * twice, as a producer puts it again whose answer was lost, counts once; where its two copies fall into different
 * claims, which are a minute apart on AWS, both stay.
 */
function read(entries: readonly StreamEntry[]) {
  const records: StreamRecord[] = []
  const rows: HotRow[] = []
  const unreadable: Unreadable[] = []
  const seen = new Set<string>()
  for (const entry of entries) {
    try {
      const record = unpackRecord(entry.data)
      if (record.kind === 'events') {
        const identity = `${record.project_id} ${record.received_at} ${record.seq}`
        if (seen.has(identity)) continue
        seen.add(identity)
      }
      const made = record.kind === 'events' ? toHotRows(record) : []
      records.push(record)
      for (const row of made) rows.push(row)
    } catch (error) {
      unreadable.push(toUnreadable(entry, error))
    }
  }
  return { records, rows, unreadable }
}

/** Whether the range's ends are there; a stream loses records only from its ends. */
function isComplete(within: readonly StreamEntry[], claim: Claim): boolean {
  return within[0]?.sequence === claim.first && within.at(-1)?.sequence === claim.last
}

/** All entries of the shard with `after` < sequence <= `last`, however many. */
async function readRange(
  stream: Pick<EventStream, 'read'>,
  shard: string,
  after: string | null,
  last: string,
): Promise<StreamEntry[]> {
  const found: StreamEntry[] = []
  for (let from = after; ; ) {
    const page = await stream.read(shard, from, CLAIM_RECORDS)
    for (const entry of page) {
      if (isBeyond(entry.sequence, last)) return found
      found.push(entry)
    }
    const end = page.at(-1)
    if (end === undefined || end.sequence === last) return found
    from = end.sequence
  }
}

/** Whether the batch holds the claim's whole range: it starts at or below its first record and reaches its last. */
function coversClaim(batch: readonly StreamEntry[], highWater: string | null, claim: Claim): boolean {
  const [first, last] = [batch[0], batch.at(-1)]
  if (first === undefined || last === undefined) return false
  const startsInTime = first.sequence === claim.first || !isBeyond(first.sequence, highWater)
  return startsInTime && !isBeyond(claim.last, last.sequence)
}

function isBetween(sequence: string, claim: Claim): boolean {
  return !isBeyond(claim.first, sequence) && !isBeyond(sequence, claim.last)
}

function toUnreadable(entry: StreamEntry, error: unknown): Unreadable {
  return {
    sequence: entry.sequence,
    reason: error instanceof Error ? error.message : String(error),
    data: Buffer.from(entry.data).toString('base64'),
  }
}
