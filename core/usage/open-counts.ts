import QuickLRU from 'quick-lru'
import { forEachConcurrent } from '#core/async/concurrency'
import { unavailable } from '#core/errors'
import { bucketOf } from '#core/state/bucket-of'
import { type Item, queryItems } from '#core/state/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import type { ClaimedEvents, CountedClaim, OpenCount, UsageCounters } from './counters.ts'
import {
  type Chain,
  chainPrefix,
  epochPrefix,
  type OwnerCount,
  type OwnerEvents,
  type Part,
  padCheckpoint,
  toItem,
  toNextPart,
  toOwnerCounts,
  toPart,
  withoutFolded,
} from './open-count-items.ts'

/**
 * The counts of claims whose epochs are not folded, for projects and for accounts. The owners are spread over
 * partitions by the hash of their ids, so a reader reads the partition of its owner, whatever the number of
 * projects is. In a partition the claims of a shard and an epoch add up in one item. A part that has grown
 * gets a successor, which the next claims add to.
 */

/** More partitions make reads smaller. But a claim of many projects is one write for each partition. */
export const PARTITIONS = 16
/** Concurrent requests of one claim or one read. */
const CONCURRENCY = 8
/** Newest parts that a process remembers: those of 16 shards. */
const MAX_PARTS = 16 * PARTITIONS
/**
 * Writes of one claim to one item. A write fails only if another write of the shard came in between: of
 * another process, or of an earlier try whose answer was lost. So a single consumer needs two tries at most.
 */
const MAX_TRIES = 8

export type OpenCounts = Pick<UsageCounters, 'addClaim' | 'deleteFoldedCounts'> & {
  /**
   * Returns the counts of projects and accounts by their ids, also of epochs that are folded already but not
   * deleted yet. An owner without counts is missing.
   */
  readOwners(ids: readonly string[]): Promise<Map<string, OwnerCount[]>>
  /** Returns the counts of the projects of a bucket in one closed epoch. */
  readEpoch(epoch: number, bucket: number): Promise<OpenCount[]>
  /** Returns the counts of all projects. */
  readAll(): Promise<OpenCount[]>
}

export function createOpenCounts(state: StateTable): OpenCounts {
  const { client, table } = state
  const newestParts = new QuickLRU<string, Part>({ maxSize: MAX_PARTS })
  /** Decoded items of the last read of each partition, by sort key. */
  const decoded = new Map<string, Map<string, { mark: unknown; counts: OwnerCount[] }>>()
  /** Counts of the closed epoch that was read last, by partition. */
  let closed: { epoch: number; counts: Map<string, OpenCount[]> } | null = null
  let lastDeletion = ''

  async function addClaim({ shard, epoch, last }: CountedClaim, counts: readonly ClaimedEvents[]) {
    const partitions = Map.groupBy(toOwners(counts), ({ owner, account_id, bucket }) =>
      owner === account_id ? partitionOf(owner) : partitionOfBucket(bucket),
    )
    await forEachConcurrent([...partitions], CONCURRENCY, ([partition, owners]) =>
      addToChain({ partition, shard, epoch }, padCheckpoint(last), owners),
    )
  }

  /** Adds the counts of a claim, unless the chain has counted this claim or a later one. */
  async function addToChain(chain: Chain, checkpoint: string, counts: readonly OwnerEvents[]): Promise<void> {
    const key = `${chain.partition} ${chain.shard}`
    let part: Part | null = null
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const cached = newestParts.get(key)
      part = cached?.epoch === chain.epoch ? cached : await readNewestPart(chain)
      if (part !== null && part.checkpoint >= checkpoint) return
      // Until the write has succeeded, the item may hold either value.
      newestParts.delete(key)
      const next = toNextPart(part, chain.epoch, checkpoint, counts)
      if (!(await putPart(chain, next, part?.number === next.number ? part.checkpoint : null))) continue
      newestParts.set(key, next)
      return
    }
    const seen = part === null ? 'no item' : `item ${part.number}, counted up to ${BigInt(part.checkpoint)}`
    throw unavailable(
      `The claim of shard ${chain.shard} in epoch ${chain.epoch} up to ${BigInt(checkpoint)} was not counted: other writes came before each of ${MAX_TRIES} tries (last seen: ${seen}). Send the claim again.`,
      1,
    )
  }

  async function readNewestPart(chain: Chain): Promise<Part | null> {
    const [from, to] = [`${chainPrefix(chain)}#`, `${chainPrefix(chain)}$`]
    const { Items = [] } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': chain.partition, ':from': from, ':to': to },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: 1,
      }),
    )
    return Items[0] === undefined ? null : toPart(Items[0])
  }

  /** Writes the item. Holds if it still has `before` as its checkpoint; null: if it does not exist. */
  function putPart(chain: Chain, part: Part, before: string | null): Promise<boolean> {
    return conditionHeld(
      client.put({
        TableName: table,
        Item: toItem(chain, part),
        ...(before === null
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'mark = :before', ExpressionAttributeValues: { ':before': before } }),
      }),
    )
  }

  async function readOwners(ids: readonly string[]): Promise<Map<string, OwnerCount[]>> {
    const wanted = new Set(ids)
    const counts = await readPartitions([...new Set(ids.map(partitionOf))])
    return Map.groupBy(
      counts.filter(({ owner }) => wanted.has(owner)),
      ({ owner }) => owner,
    )
  }

  async function readAll(): Promise<OpenCount[]> {
    return toProjects(await readPartitions(ALL_PARTITIONS))
  }

  async function readPartitions(partitions: readonly string[]): Promise<OwnerCount[]> {
    const items = await queryPartitions(partitions, '0', ':')
    for (const partition of partitions) {
      const known = decoded.get(partition)
      const kept = (items.get(partition) ?? []).map(item => decodeItem(item, known))
      decoded.set(partition, new Map(kept))
    }
    return partitions
      .flatMap(partition => [...(decoded.get(partition)?.values() ?? [])])
      .flatMap(({ counts }) => counts)
  }

  async function readEpoch(epoch: number, bucket: number): Promise<OpenCount[]> {
    const partition = partitionOfBucket(bucket)
    if (closed?.epoch !== epoch) closed = { epoch, counts: new Map() }
    const { counts } = closed
    if (!counts.has(partition)) {
      const items = await queryItems(state, partition, epochPrefix(epoch), epochPrefix(epoch + 1))
      counts.set(partition, toProjects(items.flatMap(toOwnerCounts)))
    }
    return counts.get(partition)?.filter(count => count.bucket === bucket) ?? []
  }

  /** Reads the items of partitions with `from` <= sk <= `to`, by partition. */
  async function queryPartitions(
    partitions: readonly string[],
    from: string,
    to: string,
  ): Promise<Map<string, Item[]>> {
    const items = new Map<string, Item[]>()
    await forEachConcurrent(partitions, CONCURRENCY, async partition => {
      items.set(partition, await queryItems(state, partition, from, to))
    })
    return items
  }

  async function deleteFoldedCounts(
    watermarks: readonly { bucket: number; compacted: number }[],
  ): Promise<void> {
    const compacted = new Map(watermarks.map(({ bucket, compacted }) => [bucket, compacted]))
    // Between two compactions there is nothing to delete, and a search costs a query of each partition.
    const deletion = JSON.stringify([...compacted].toSorted(([a], [b]) => a - b))
    if (deletion === lastDeletion) return
    const newest = Math.max(0, ...compacted.values())
    const items = await queryPartitions(ALL_PARTITIONS, '0', epochPrefix(newest))
    await forEachConcurrent([...items.values()].flat(), CONCURRENCY, item => deleteFolded(item, compacted))
    lastDeletion = deletion
  }

  async function deleteFolded(item: Item, compacted: ReadonlyMap<number, number>): Promise<void> {
    const kept = withoutFolded(item, compacted)
    if (kept === item) return
    const key = { pk: item.pk, sk: item.sk }
    await (kept === null
      ? orUnavailable(client.delete({ TableName: table, Key: key }))
      : replaceCounts(key, kept.counts))
  }

  /** If the item has been deleted in the meantime, it stays deleted. */
  function replaceCounts(key: Item, counts: unknown): Promise<boolean> {
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

  return { addClaim, readOwners, readEpoch, readAll, deleteFoldedCounts }
}

/**
 * An item with a known checkpoint has the known counts, or fewer if some of them are folded. Those count
 * nowhere.
 */
function decodeItem(
  item: Item,
  known: ReadonlyMap<string, { mark: unknown; counts: OwnerCount[] }> | undefined,
): [sk: string, { mark: unknown; counts: OwnerCount[] }] {
  const sk = String(item.sk)
  const earlier = known?.get(sk)
  return [
    sk,
    earlier?.mark === item.mark && earlier ? earlier : { mark: item.mark, counts: toOwnerCounts(item) },
  ]
}

const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, number) => partitionKey(number))

function partitionKey(number: number): string {
  return `opencounts#${String(number).padStart(2, '0')}`
}

/** The partition of the projects of a bucket. So the fold of a bucket reads one partition. */
function partitionOfBucket(bucket: number): string {
  return partitionKey(bucket % PARTITIONS)
}

/** The partition of an owner: of a project, it is that of its bucket. */
function partitionOf(owner: string): string {
  return partitionOfBucket(bucketOf(owner))
}

/** The counts of the projects, and their sums by account, bucket and day. */
function toOwners(counts: readonly ClaimedEvents[]): OwnerEvents[] {
  const owners: OwnerEvents[] = counts.map(({ project_id, ...count }) => ({ ...count, owner: project_id }))
  const accounts = Map.groupBy(counts, ({ account_id, bucket, day }) => `${account_id} ${bucket} ${day}`)
  for (const [first, ...others] of accounts.values()) {
    if (first === undefined) continue
    const { account_id, bucket, day } = first
    const events = others.reduce((sum, count) => sum + count.events, first.events)
    owners.push({ account_id, bucket, day, events, owner: account_id, times: null })
  }
  return owners
}

function toProjects(counts: readonly OwnerCount[]): OpenCount[] {
  return counts.flatMap(({ owner, times, ...count }) =>
    times === null ? [] : [{ ...count, times, project_id: owner }],
  )
}
