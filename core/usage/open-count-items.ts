import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Item } from '#core/state/query-all'
import type { ClaimedEvents, EventTimes } from './counters.ts'
import { joinTimes } from './event-times.ts'

/** The items of open counts, and how their counts are stored. */

/**
 * Bytes from which a part gets a successor. DynamoDB bills a write by the bytes of the whole item, so this
 * bounds what a claim writes again. A claim has at most 5,000 records, which have at most 10,000 owners of
 * about 25 bytes each. So no part has more than 300 KB, even if all of them are in one partition.
 */
export const PART_BYTES = 16_000
/** Lengths of padded numbers, whose texts compare as the numbers do. Kinesis' sequences have 56 digits. */
const EPOCH_DIGITS = 12
const PART_DIGITS = 6
const CHECKPOINT_DIGITS = 64
/**
 * DynamoDB deletes an item this time after the newest events in it, if nothing else has: a woken process may
 * write it anew.
 */
const TTL_S = 60 * 24 * 3_600

/** Events of one owner: a project, or an account with the sum of its projects in the bucket. */
export type OwnerEvents = Omit<ClaimedEvents, 'project_id' | 'times'> & {
  owner: string
  /** Null for an account. */
  times: EventTimes | null
}

/** The same, and the epoch that they belong to. */
export type OwnerCount = OwnerEvents & { epoch: number }

/** The parts of one partition, shard and epoch. */
export type Chain = { partition: string; shard: string; epoch: number }

/**
 * One item. `checkpoint` is the last claim that it has counted, padded. `encoded` are the counts as they are
 * stored.
 */
export type Part = {
  epoch: number
  number: number
  checkpoint: string
  counts: readonly OwnerEvents[]
  encoded: Uint8Array
}

/** The text of a sequence whose order as a text is that of the numbers. */
export function padCheckpoint(last: string): string {
  return last.padStart(CHECKPOINT_DIGITS, '0')
}

/** The begin of the sort keys of an epoch. */
export function epochPrefix(epoch: number): string {
  return `${String(epoch).padStart(EPOCH_DIGITS, '0')}#`
}

/** The begin of the sort keys of a chain. */
export function chainPrefix({ epoch, shard }: Chain): string {
  return `${epochPrefix(epoch)}${shard}`
}

export function toItem(chain: Chain, part: Part): Item {
  return {
    pk: chain.partition,
    sk: `${chainPrefix(chain)}#${String(part.number).padStart(PART_DIGITS, '0')}`,
    mark: part.checkpoint,
    counts: part.encoded,
    expires_at: expiryOf(part.counts),
  }
}

export function toPart(item: Item): Part {
  const [epoch, , number] = String(item.sk).split('#')
  const encoded = item.counts as Uint8Array
  return {
    epoch: Number(epoch),
    number: Number(number),
    checkpoint: String(item.mark),
    counts: decodeCounts(encoded),
    encoded,
  }
}

export function toOwnerCounts(item: Item): OwnerCount[] {
  const { epoch, counts } = toPart(item)
  return counts.map(count => ({ ...count, epoch }))
}

/**
 * The part that has the claim's counts too. Which one it is follows from the newest part alone, also in a
 * woken process.
 */
export function toNextPart(
  part: Part | null,
  epoch: number,
  checkpoint: string,
  counts: readonly OwnerEvents[],
): Part {
  const isFull = part !== null && part.encoded.length >= PART_BYTES
  const number = part === null ? 0 : part.number + Number(isFull)
  const sums = part === null || isFull ? counts : addCounts(part.counts, counts)
  return { epoch, number, checkpoint, counts: sums, encoded: encodeCounts(sums) }
}

/**
 * Returns the item without the counts that are folded by the watermarks (`compacted` by bucket): the item
 * itself if none is, null if all are.
 */
export function withoutFolded(item: Item, compacted: ReadonlyMap<number, number>): Item | null {
  const counts = toOwnerCounts(item)
  const kept = counts.filter(({ bucket, epoch }) => epoch >= (compacted.get(bucket) ?? 0))
  if (kept.length === counts.length) return item
  return kept.length === 0 ? null : { ...item, counts: encodeCounts(kept) }
}

function addCounts(counts: readonly OwnerEvents[], added: readonly OwnerEvents[]): readonly OwnerEvents[] {
  const sums = new Map(counts.map(count => [keyOf(count), count]))
  for (const count of added) {
    const sum = sums.get(keyOf(count))
    const events = (sum?.events ?? 0) + count.events
    sums.set(keyOf(count), { ...count, events, times: joinTimes(sum?.times ?? null, count.times) })
  }
  return [...sums.values()]
}

function keyOf({ owner, bucket, day }: OwnerEvents): string {
  return `${owner} ${bucket} ${day}`
}

/** Events, with the times of the first and the last one where they are known. */
type StoredCount = number | [events: number, first: number, last: number]

/** The stored form: days -> buckets -> accounts -> owners -> count, because a name is then written once. */
type StoredCounts = Record<string, Record<string, Record<string, Record<string, StoredCount>>>>

function encodeCounts(counts: readonly OwnerEvents[]): Uint8Array {
  const days: StoredCounts = {}
  for (const { day, bucket, account_id, owner, events, times } of counts) {
    days[day] ??= {}
    const buckets = days[day]
    buckets[bucket] ??= {}
    const accounts = buckets[bucket]
    accounts[account_id] ??= {}
    const owners = accounts[account_id]
    // The account's own name stands there already.
    const name = owner === account_id ? '' : owner
    owners[name] = times === null ? events : [events, times.first, times.last]
  }
  return zstdCompressSync(JSON.stringify(days))
}

function decodeCounts(bytes: Uint8Array): OwnerEvents[] {
  const days = JSON.parse(zstdDecompressSync(bytes).toString()) as StoredCounts
  return Object.entries(days).flatMap(([day, buckets]) =>
    Object.entries(buckets).flatMap(([bucket, accounts]) =>
      Object.entries(accounts).flatMap(([account_id, owners]) =>
        Object.entries(owners).map(([name, stored]) => {
          const [events, first, last] = Array.isArray(stored) ? stored : [stored]
          return {
            ...{ day, bucket: Number(bucket), account_id, owner: name === '' ? account_id : name, events },
            times: first === undefined || last === undefined ? null : { first, last },
          }
        }),
      ),
    ),
  )
}

/** Unix seconds. */
function expiryOf(counts: readonly OwnerEvents[]): number {
  const newest = Math.max(...counts.map(({ day }) => Date.parse(day) / 1_000))
  return Math.ceil(newest + TTL_S)
}
