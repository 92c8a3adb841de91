import { randomBytes } from 'node:crypto'
import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { packBytes } from '#core/ingest/packing'
import { createEventEraser, type EventEraser } from '#core/lake/erase/event-eraser'
import type { TombstoneRow } from '#core/lake/erase/tombstone-file'
import type { Now } from '#core/ports'
import { bucketOf } from '#core/state/bucket-of'
import { queryAll, queryPages } from '#core/state/query-all'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { BATCH_WRITES, writeItems } from '#core/state/write-items'
import {
  eraseFromChunk,
  firstPosition,
  type LiveEvent,
  lineLength,
  type Position,
  packEvents,
  toLine,
  unpackEvents,
  type WrittenLiveRecord,
} from './chunk.ts'

/**
 * The live buffer: the events of the last minutes, in chunks in the state table, which all processes share.
 * Nothing ever changes a chunk. A retried batch writes its events again, perhaps in other chunks. Each event
 * has an id, so readers count each event once.
 *
 * A project with much traffic has chunks in a partition of its own. The few events of other projects share
 * the chunks of their bucket, so that a thousand small projects cost 64 writes. A reader reads both
 * partitions. The chunks of a partition lie in the order in which they were written.
 */

/** The events of one project in a chunk, as a reader gets them. */
export type Chunk = {
  key: string
  shard: string
  /** When it was written, Unix ms. */
  stamp: number
  events: LiveEvent[]
}

/** A chunk that was read, and how many bytes of JSON its events were. */
export type ReadChunk = Chunk & { bytes: number }

export type LiveBuffer = ReturnType<typeof createLiveBuffer>

/** An item stays a fifth longer than its events are readable: a reader that has begun may still need it. */
const KEPT_SHARE = 1.2
/**
 * A chunk is readable at most this long after its stamp, ms. Otherwise it is written again with a new stamp.
 */
const VISIBLE_WITHIN_MS = 1_500
const WRITE_TRIES = 3
/** Requests with chunks that are sent at the same time. */
const CONCURRENCY = 4
/** How far the clocks of two processes may differ, ms. AWS keeps them within a few ms. */
const CLOCK_SKEW_MS = 500
/** A reader that has read everything until a moment may find new chunks with stamps this much older, ms. */
export const LATE_MS = VISIBLE_WITHIN_MS + CLOCK_SKEW_MS
/**
 * Bytes of a project in a batch above which it gets a chunk of its own: about 40 events. A reader of a
 * small project also reads the bytes of its neighbours, so this bounds what it reads.
 */
const MAX_SHARED_BYTES = 16_000
/** Bytes of a shared chunk before it is compressed. A reader of one project unpacks all of them. */
const MAX_SHARED_CHUNK_BYTES = 100_000
/** Chunks of one page that is read newest first. Most reads need few chunks. */
const PAGE_CHUNKS = 4

/** The digits of a stamp, so that keys sort by it. */
const STAMP_DIGITS = 15

/** A chunk before it is written, and where its first event lies. */
type NewChunk = { partition: string; first: Position; bytes: Uint8Array }

type Item = { sk: string; events: Uint8Array; shard: string; stamp: number }

export type LiveBufferOptions = {
  clock: Now
  /** How long an event is readable after its arrival. */
  bufferMs: number
}

export function createLiveBuffer({ client, table }: StateTable, { clock, bufferMs }: LiveBufferOptions) {
  /**
   * Writes the records of one batch of a shard: those of each project in ascending order of their sequences.
   */
  async function write(
    shard: string,
    records: ReadonlyMap<string, readonly WrittenLiveRecord[]>,
  ): Promise<void> {
    await forEachConcurrent(slices(toChunks(records), BATCH_WRITES), CONCURRENCY, chunks =>
      writeChunks(shard, chunks),
    )
  }

  async function writeChunks(shard: string, chunks: readonly NewChunk[]): Promise<void> {
    for (let tries = 0; tries < WRITE_TRIES; tries++) {
      const stamp = clock.now()
      const expires_at = Math.ceil((stamp + keptMs(bufferMs)) / 1_000)
      const items = chunks.map(({ partition, first, bytes }) => ({
        pk: partition,
        // The random end keeps apart two tries of the same ms.
        sk: `${toKey(stamp)}#${shard}#${first.sequence}#${first.index}#${randomBytes(4).toString('hex')}`,
        ...{ events: bytes, shard, stamp, expires_at },
      }))
      await writeItems(
        { client, table },
        items.map(Item => ({ PutRequest: { Item } })),
      )
      if (clock.now() - stamp <= VISIBLE_WITHIN_MS) break
    }
  }

  /** Reads the chunks of a project with this stamp or a later one, newest first. A reader may stop early. */
  async function* newestFirst(projectId: string, fromStamp: number): AsyncGenerator<ReadChunk> {
    const readers = partitionsOf(projectId).map(partition =>
      newestOfPartition(projectId, partition, fromStamp),
    )
    yield* mergeNewestFirst(readers)
  }

  async function* newestOfPartition(
    projectId: string,
    partition: string,
    fromStamp: number,
  ): AsyncGenerator<ReadChunk> {
    const query = { ...range(partition, toKey(fromStamp)), ...NEWEST_FIRST }
    for await (const page of queryPages({ client, table }, query)) {
      for (const item of page) yield* toChunk(projectId, item as Item)
    }
  }

  /**
   * Lists the keys of the chunks with this stamp or a later one, oldest first. Some may have no events of the
   * project.
   */
  async function keysFrom(projectId: string, fromStamp: number): Promise<string[]> {
    const items = await readPartitions(projectId, toKey(fromStamp), { ProjectionExpression: 'sk' })
    return items.map(({ sk }) => sk)
  }

  /** Reads the chunks of a project from a key on (inclusive), oldest first. */
  async function chunksFrom(projectId: string, key: string): Promise<Chunk[]> {
    const items = await readPartitions(projectId, key)
    return items.flatMap(item => toChunk(projectId, item))
  }

  async function readPartitions(
    projectId: string,
    key: string,
    projection: { ProjectionExpression?: string } = {},
  ): Promise<Item[]> {
    const items = await Promise.all(
      partitionsOf(projectId).map(partition =>
        queryAll({ client, table }, { ...range(partition, key), ...projection }),
      ),
    )
    return (items.flat() as Item[]).sort(byKey)
  }

  /** Overwrites the chunks that have erased events, also those that are expired and still there. */
  async function erase(tombstones: readonly TombstoneRow[]): Promise<void> {
    const eraser = createEventEraser(tombstones)
    for (const partition of new Set([...eraser.projects].flatMap(partitionsOf))) {
      const query = { ...range(partition, toKey(0)), ...NEWEST_FIRST }
      for await (const page of queryPages({ client, table }, query)) {
        for (const item of page) await eraseFrom(item as Item, eraser)
      }
    }
  }

  async function eraseFrom(item: Item, eraser: EventEraser): Promise<void> {
    const events = eraseFromChunk(item.events, eraser)
    if (events === null) return
    const Item = { ...item, events }
    // An item that was deleted meanwhile must not come back.
    const ConditionExpression = 'attribute_exists(pk)'
    await conditionHeld(client.put({ TableName: table, Item, ConditionExpression }))
  }

  return { write, newestFirst, keysFrom, chunksFrom, erase, clock, bufferMs }
}

/** How long a chunk is in the table, ms. */
export function keptMs(bufferMs: number): number {
  return bufferMs * KEPT_SHARE
}

const NEWEST_FIRST = { ScanIndexForward: false, Limit: PAGE_CHUNKS }

function range(partition: string, fromKey: string) {
  return {
    KeyConditionExpression: 'pk = :pk AND sk >= :from',
    ExpressionAttributeValues: { ':pk': partition, ':from': fromKey },
    ConsistentRead: true,
  }
}

/** Distributes the records of a batch over chunks. */
function toChunks(records: ReadonlyMap<string, readonly WrittenLiveRecord[]>): NewChunk[] {
  const chunks: NewChunk[] = []
  const shared: { partition: string; first: Position; lines: Buffer[]; length: number }[] = []
  const open = new Map<string, (typeof shared)[number]>()
  for (const [projectId, ofProject] of records) {
    const [record] = ofProject
    if (record === undefined) continue
    if (lineLength(ofProject) > MAX_SHARED_BYTES) {
      const partition = projectPartition(projectId)
      chunks.push(...packEvents(projectId, ofProject).map(chunk => ({ partition, ...chunk })))
      continue
    }
    const line = toLine(projectId, ofProject)
    const partition = bucketPartition(projectId)
    const current = open.get(partition)
    if (current !== undefined && current.length + line.length <= MAX_SHARED_CHUNK_BYTES) {
      current.lines.push(line)
      current.length += line.length
    } else {
      const chunk = { partition, first: firstPosition(record), lines: [line], length: line.length }
      shared.push(chunk)
      open.set(partition, chunk)
    }
  }
  return [
    ...chunks,
    ...shared.map(({ partition, first, lines }) => ({
      partition,
      first,
      bytes: packBytes(Buffer.concat(lines)),
    })),
  ]
}

/** The partitions that may hold events of a project. */
function partitionsOf(projectId: string): string[] {
  return [projectPartition(projectId), bucketPartition(projectId)]
}

function projectPartition(projectId: string): string {
  return `live#project#${projectId}`
}

function bucketPartition(projectId: string): string {
  return `live#bucket#${bucketOf(projectId)}`
}

function toKey(stamp: number): string {
  return String(Math.max(0, stamp)).padStart(STAMP_DIGITS, '0')
}

/** The chunk of an item; none when the item has no events of the project. */
function toChunk(projectId: string, { sk, events: packed, shard, stamp }: Item): ReadChunk[] {
  const { events, bytes } = unpackEvents(projectId, packed)
  return events.length === 0 ? [] : [{ key: sk, shard, stamp, events, bytes }]
}

/** Merges readers that each yield chunks newest first. */
async function* mergeNewestFirst(readers: AsyncGenerator<ReadChunk>[]): AsyncGenerator<ReadChunk> {
  try {
    const next = await Promise.all(readers.map(reader => reader.next()))
    for (;;) {
      const heads = next.flatMap(({ value, done }, i) => (done ? [] : [{ i, chunk: value as ReadChunk }]))
      const newest = heads.toSorted((a, b) => byKey({ sk: b.chunk.key }, { sk: a.chunk.key }))[0]
      if (newest === undefined) return
      yield newest.chunk
      next[newest.i] = await (readers[newest.i] as AsyncGenerator<ReadChunk>).next()
    }
  } finally {
    await Promise.all(readers.map(reader => reader.return(undefined)))
  }
}

function byKey(a: { sk: string }, b: { sk: string }): number {
  return a.sk < b.sk ? -1 : Number(a.sk > b.sk)
}
