import { type StreamRecord, unpackRecord } from '#core/ingest/record'
import { CLAIM_RECORDS, claimSize } from '#core/lake/consume/consumer'
import { countRecords } from '#core/lake/consume/counts'
import type { Claim } from '#core/lake/model/claim'
import { compareSequences, isBeyond } from '#core/lake/model/sequence'
import type { EventStream, StreamEntry } from '#core/ports'
import type { ClaimedEvents } from '#core/usage/counters'

/**
 * Returns records of a shard that no hot file holds, although the state says that they are stored. At most
 * one claim.
 */
export type MissingRecords = {
  shard: string
  first: string
  last: string
  records: number
  /** Their events. */
  counts: readonly ClaimedEvents[]
  /** The epoch of the hot file before them; null without one. */
  epochBefore: number | null
}

/**
 * Hot files are kept for a day after their epoch was compacted. So a record that arrived within this time has
 * its hot file, unless the file is lost.
 */
const RECENT_MS = 20 * 3_600_000

/**
 * Finds the records up to highWater that the stream still has and that no hot file has, as in a lake that is
 * an older copy.
 * `claims` are the claims of all hot files of the shard.
 */
export async function findMissingRecords(
  stream: Pick<EventStream, 'read'>,
  {
    shard,
    highWater,
    claims,
    now,
  }: { shard: string; highWater: string; claims: readonly Claim[]; now: number },
): Promise<MissingRecords[]> {
  const missing: MissingRecords[] = []
  let position: string | null = null
  let epochBefore: number | null = null
  const next = (sequence: string | null) => (sequence === null ? null : String(BigInt(sequence) + 1n))

  /** Adds the records after the position and before `end`. */
  async function searchUntil(end: string): Promise<void> {
    while (next(position) !== end) {
      // Mostly no record is missing, so a read of one record is enough to see it.
      const [following] = await stream.read(shard, position, 1)
      if (following === undefined || !isBeyond(end, following.sequence)) return
      const page = await stream.read(shard, position, CLAIM_RECORDS)
      const entries = page.filter(entry => isBeyond(end, entry.sequence))
      const last = entries.at(-1)
      if (last === undefined) return
      const firstRecent = entries.findIndex(entry => isRecent(entry, now))
      const recent = firstRecent === -1 ? [] : entries.slice(firstRecent)
      const claimed = recent.slice(0, claimSize(recent))
      const [first, final] = [claimed[0]?.sequence, claimed.at(-1)?.sequence]
      if (first !== undefined && final !== undefined) {
        const { events: counts } = countRecords(claimed.flatMap(readRecord))
        missing.push({ shard, first, last: final, records: claimed.length, counts, epochBefore })
      }
      position = final ?? last.sequence
    }
  }

  for (const claim of claims.toSorted((a, b) => compareSequences(a.first, b.first))) {
    if (isBeyond(claim.first, highWater)) break
    await searchUntil(claim.first)
    if (isBeyond(claim.last, position)) position = claim.last
    epochBefore = claim.epoch
  }
  await searchUntil(String(BigInt(highWater) + 1n))
  return missing
}

/** False for a record that cannot be read: it is in quarantine. */
function isRecent(entry: StreamEntry, now: number): boolean {
  return readRecord(entry).some(({ received_at }) => received_at >= now - RECENT_MS)
}

/** The record, or nothing if it cannot be read. */
function readRecord({ data }: StreamEntry): StreamRecord[] {
  try {
    return [unpackRecord(data)]
  } catch {
    return []
  }
}
