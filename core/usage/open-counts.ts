import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import QuickLRU from 'quick-lru'
import { unavailable } from '#core/errors'
import { type Item, queryItems } from '#core/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { ClaimedEvents, CountedClaim, OpenCount, UsageCounters } from './counters.ts'

/**
 * The counts of claims whose epochs are not folded. The claims of a shard and an epoch add up in one item, its counts are
 * compressed. An item may have 400 KB, so a part that has grown gets a successor, which the next claims add to.
 */

/**
 * Bytes from which a part gets a successor. A claim has at most 5,000 records, which are at most 5,000 projects of about 25
 * bytes each, so no part exceeds 300 KB.
 */
export const PART_BYTES = 150_000
/** All open counts have one partition key, so one query reads them. */
const PK = 'opencounts'
/** Lengths of padded numbers, whose texts compare as the numbers do. Kinesis' sequences have 56 digits. */
const EPOCH_DIGITS = 12
const PART_DIGITS = 6
const CHECKPOINT_DIGITS = 64
/** Shards whose newest part a process remembers. */
const MAX_SHARDS = 16
/**
 * Writes of one claim. A write fails only if another write of the shard came in between: of another process, or of an earlier try
 * whose answer was lost. So a single consumer needs two tries at most.
 */
const MAX_TRIES = 8
/** DynamoDB deletes an item this time after the newest events in it, if nothing else has: a woken process may write it anew. */
const TTL_S = 60 * 24 * 3_600

/** One item. `checkpoint` is the last claim that it has counted, padded. `encoded` are the counts as they are stored. */
type Part = {
  epoch: number
  number: number
  checkpoint: string
  counts: readonly ClaimedEvents[]
  encoded: Uint8Array
}

export type OpenCounts = Pick<UsageCounters, 'addClaim' | 'deleteFoldedCounts'> & {
  /** Returns all counts, also of epochs that are folded already but not deleted yet. */
  read(): Promise<OpenCount[]>
  /** Returns the counts of one closed epoch. */
  readEpoch(epoch: number): Promise<OpenCount[]>
}

export function createOpenCounts(state: StateTable): OpenCounts {
  const { client, table } = state
  const newestParts = new QuickLRU<string, Part>({ maxSize: MAX_SHARDS })
  /** Decoded items of the last read, by sort key. */
  let decoded = new Map<string, { checkpoint: unknown; counts: OpenCount[] }>()
  let lastEpoch: { epoch: number; counts: OpenCount[] } | null = null

  async function addClaim(claim: CountedClaim, counts: readonly ClaimedEvents[]): Promise<void> {
    if (counts.length === 0) return
    const { shard, epoch } = claim
    const checkpoint = claim.last.padStart(CHECKPOINT_DIGITS, '0')
    let part: Part | null = null
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const cached = newestParts.get(shard)
      part = cached?.epoch === epoch ? cached : await readNewestPart(shard, epoch)
      if (part !== null && part.checkpoint >= checkpoint) return
      // Until the write has succeeded, the item may hold either value.
      newestParts.delete(shard)
      const next = toNextPart(part, epoch, checkpoint, counts)
      if (!(await putPart(shard, next, part?.number === next.number ? part.checkpoint : null))) continue
      newestParts.set(shard, next)
      return
    }
    const seen = part === null ? 'no item' : `item ${part.number}, counted up to ${BigInt(part.checkpoint)}`
    throw unavailable(
      `The claim of shard ${shard} in epoch ${epoch} up to ${claim.last} was not counted: other writes came before each of ${MAX_TRIES} tries (last seen: ${seen}). Send the claim again.`,
      1,
    )
  }

  async function readNewestPart(shard: string, epoch: number): Promise<Part | null> {
    const [from, to] = [`${toPrefix(epoch)}${shard}#`, `${toPrefix(epoch)}${shard}$`]
    const { Items = [] } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': PK, ':from': from, ':to': to },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: 1,
      }),
    )
    return Items[0] === undefined ? null : toPart(Items[0])
  }

  /** Writes the item. Holds if it still has `before` as its checkpoint; null: if it does not exist. */
  function putPart(shard: string, part: Part, before: string | null): Promise<boolean> {
    return conditionHeld(
      client.put({
        TableName: table,
        Item: {
          pk: PK,
          sk: `${toPrefix(part.epoch)}${shard}#${String(part.number).padStart(PART_DIGITS, '0')}`,
          mark: part.checkpoint,
          counts: part.encoded,
          expires_at: expiryOf(part.counts),
        },
        ...(before === null
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'mark = :before', ExpressionAttributeValues: { ':before': before } }),
      }),
    )
  }

  async function read(): Promise<OpenCount[]> {
    const items = await queryItems(state, PK, '0', ':')
    const counts = new Map(items.map(item => [String(item.sk), decodeItem(item)]))
    decoded = counts
    return [...counts.values()].flatMap(({ counts }) => counts)
  }

  /** An item with a known checkpoint has the known counts, or fewer if some of them are folded. Those count nowhere. */
  function decodeItem(item: Item) {
    const known = decoded.get(String(item.sk))
    if (known !== undefined && known.checkpoint === item.mark) return known
    return { checkpoint: item.mark, counts: toOpenCounts(item) }
  }

  async function readEpoch(epoch: number): Promise<OpenCount[]> {
    if (lastEpoch?.epoch !== epoch) {
      const items = await queryItems(state, PK, toPrefix(epoch), toPrefix(epoch + 1))
      lastEpoch = { epoch, counts: items.flatMap(toOpenCounts) }
    }
    return lastEpoch.counts
  }

  async function deleteFoldedCounts(
    watermarks: readonly { bucket: number; compacted: number }[],
  ): Promise<void> {
    const compacted = new Map(watermarks.map(watermark => [watermark.bucket, watermark.compacted]))
    const newest = Math.max(0, ...compacted.values())
    for (const item of await queryItems(state, PK, '0', toPrefix(newest))) {
      const counts = toOpenCounts(item)
      const kept = counts.filter(({ bucket, epoch }) => epoch >= (compacted.get(bucket) ?? 0))
      if (kept.length === counts.length) continue
      const key = { pk: PK, sk: item.sk }
      await (kept.length === 0
        ? orUnavailable(client.delete({ TableName: table, Key: key }))
        : replaceCounts(key, encodeCounts(kept)))
    }
  }

  /** If the item has been deleted in the meantime, it stays deleted. */
  function replaceCounts(key: Item, counts: Uint8Array): Promise<boolean> {
    return conditionHeld(
      client.update({
        TableName: table,
        Key: key,
        UpdateExpression: 'SET #counts = :counts',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#counts': 'counts' },
        ExpressionAttributeValues: { ':counts': counts },
      }),
    )
  }

  return { addClaim, read, readEpoch, deleteFoldedCounts }
}

function toPrefix(epoch: number): string {
  return `${String(epoch).padStart(EPOCH_DIGITS, '0')}#`
}

/** The part that has the claim's counts too. Which one it is follows from the newest part alone, also in a woken process. */
function toNextPart(
  part: Part | null,
  epoch: number,
  checkpoint: string,
  counts: readonly ClaimedEvents[],
): Part {
  const isFull = part !== null && part.encoded.length >= PART_BYTES
  const number = part === null ? 0 : part.number + Number(isFull)
  const sums = part === null || isFull ? counts : addCounts(part.counts, counts)
  return { epoch, number, checkpoint, counts: sums, encoded: encodeCounts(sums) }
}

function addCounts(
  counts: readonly ClaimedEvents[],
  added: readonly ClaimedEvents[],
): readonly ClaimedEvents[] {
  const sums = new Map(counts.map(count => [keyOf(count), count]))
  for (const count of added) {
    const events = (sums.get(keyOf(count))?.events ?? 0) + count.events
    sums.set(keyOf(count), { ...count, events })
  }
  return [...sums.values()]
}

function keyOf({ project_id, day }: ClaimedEvents): string {
  return `${project_id} ${day}`
}

function toPart(item: Item): Part {
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

function toOpenCounts(item: Item): OpenCount[] {
  const { epoch, counts } = toPart(item)
  return counts.map(count => ({ ...count, epoch }))
}

/** The stored form: days -> buckets -> accounts -> projects -> events, because a name is then written once. */
type StoredCounts = Record<string, Record<string, Record<string, Record<string, number>>>>

function encodeCounts(counts: readonly ClaimedEvents[]): Uint8Array {
  const days: StoredCounts = {}
  for (const { day, bucket, account_id, project_id, events } of counts) {
    days[day] ??= {}
    const buckets = days[day]
    buckets[bucket] ??= {}
    const accounts = buckets[bucket]
    accounts[account_id] ??= {}
    const projects = accounts[account_id]
    projects[project_id] = (projects[project_id] ?? 0) + events
  }
  return zstdCompressSync(JSON.stringify(days))
}

function decodeCounts(bytes: Uint8Array): ClaimedEvents[] {
  const days = JSON.parse(zstdDecompressSync(bytes).toString()) as StoredCounts
  return Object.entries(days).flatMap(([day, buckets]) =>
    Object.entries(buckets).flatMap(([bucket, accounts]) =>
      Object.entries(accounts).flatMap(([account_id, projects]) =>
        Object.entries(projects).map(([project_id, events]) => ({
          ...{ day, bucket: Number(bucket), account_id, project_id, events },
        })),
      ),
    ),
  )
}

/** Unix seconds. */
function expiryOf(counts: readonly ClaimedEvents[]): number {
  const newest = Math.max(...counts.map(({ day }) => Date.parse(day) / 1_000))
  return Math.ceil(newest + TTL_S)
}
