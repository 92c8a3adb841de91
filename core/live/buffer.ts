import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/ports'
import { queryAll } from '#core/query-all'
import { orUnavailable, type StateTable } from '#core/state-table'
import { type LiveEvent, type LiveRecord, packChunks, unpackChunk } from './chunk.ts'

/**
 * The live buffer: the events of the last minutes, in chunks in the state table, which all processes share. The chunks of a
 * project lie in one partition, in the order in which they were written. Nothing ever changes a chunk. A retried batch
 * writes its events again, perhaps in other chunks. Each event has an id, so readers count each event once.
 */

/** A chunk as a reader gets it. */
export type Chunk = {
  key: string
  shard: string /** When it was written, Unix ms. */
  stamp: number
  events: LiveEvent[]
}

export type LiveBuffer = ReturnType<typeof createLiveBuffer>

/** How long an item stays beyond the buffer's age, ms: a reader that has begun may still need it. */
const EXPIRY_MARGIN_MS = 60_000
/** A chunk is readable at most this long after its stamp, ms. Otherwise it is written again with a new stamp. */
const VISIBLE_WITHIN_MS = 1_500
const WRITE_TRIES = 3
/** How far the clocks of two processes may differ, ms. AWS keeps them within a few ms. */
const CLOCK_SKEW_MS = 500
/** A reader that has read everything until a moment may find new chunks with stamps this much older, ms. */
export const LATE_MS = VISIBLE_WITHIN_MS + CLOCK_SKEW_MS
/** Chunks of one page that is read newest first. Most reads need few chunks. */
const PAGE_CHUNKS = 4

/** The digits of a stamp, so that keys sort by it. */
const STAMP_DIGITS = 15

type Item = { sk: string; chunk: Uint8Array; shard: string; stamp: number }

export type LiveBufferOptions = {
  clock: Clock
  /** How long an event is readable after its arrival. */
  bufferMs: number
  /** Called for each item that is written, with its key and the time at which it expires, Unix seconds. */
  onWritten?: (key: { pk: string; sk: string }, expiresAt: number) => void
}

export function createLiveBuffer(
  { client, table }: StateTable,
  { clock, bufferMs, onWritten = () => {} }: LiveBufferOptions,
) {
  /** Writes records of one batch of a shard, in ascending order of their sequences. */
  async function write(projectId: string, shard: string, records: readonly LiveRecord[]): Promise<void> {
    for (const { bytes, first } of packChunks(records)) {
      for (let tries = 0; tries < WRITE_TRIES; tries++) {
        const stamp = clock.now()
        const key = {
          pk: partition(projectId),
          // The random end keeps apart two tries of the same ms.
          sk: `${toKey(stamp)}#${shard}#${first.sequence}#${first.index}#${randomBytes(4).toString('hex')}`,
        }
        const expires_at = Math.ceil((stamp + bufferMs + EXPIRY_MARGIN_MS) / 1_000)
        const Item = { ...key, chunk: bytes, shard, stamp, expires_at }
        await orUnavailable(client.put({ TableName: table, Item }))
        onWritten(key, expires_at)
        if (clock.now() - stamp <= VISIBLE_WITHIN_MS) break
      }
    }
  }

  /** Reads the chunks with this stamp or a later one, newest first. A reader may stop early. */
  async function* newestFirst(projectId: string, fromStamp: number): AsyncGenerator<Chunk> {
    let start: Record<string, unknown> | undefined
    do {
      const page = await orUnavailable(
        client.query({ ...range(projectId, toKey(fromStamp)), ...NEWEST_FIRST, ExclusiveStartKey: start }),
      )
      for (const item of page.Items ?? []) yield toChunk(item as Item)
      start = page.LastEvaluatedKey
    } while (start !== undefined)
  }

  /** Lists the keys of the chunks with this stamp or a later one, oldest first, without their events. */
  async function keysFrom(projectId: string, fromStamp: number): Promise<string[]> {
    const items = await readAll(projectId, toKey(fromStamp), { ProjectionExpression: 'sk' })
    return items.map(({ sk }) => sk)
  }

  /** Reads the chunks from a key on (inclusive), oldest first. */
  async function chunksFrom(projectId: string, key: string): Promise<Chunk[]> {
    return (await readAll(projectId, key)).map(toChunk)
  }

  async function readAll(projectId: string, key: string, options = {}): Promise<Item[]> {
    const items = await queryAll({ client, table }, { ...range(projectId, key), ...options })
    return items as Item[]
  }

  function range(projectId: string, fromKey: string) {
    return {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk >= :from',
      ExpressionAttributeValues: { ':pk': partition(projectId), ':from': fromKey },
      ConsistentRead: true,
    }
  }

  return { write, newestFirst, keysFrom, chunksFrom, clock, bufferMs }
}

const NEWEST_FIRST = { ScanIndexForward: false, Limit: PAGE_CHUNKS }

function partition(projectId: string): string {
  return `live#${projectId}`
}

function toKey(stamp: number): string {
  return String(Math.max(0, stamp)).padStart(STAMP_DIGITS, '0')
}

function toChunk({ sk, chunk, shard, stamp }: Item): Chunk {
  return { key: sk, shard, stamp, events: unpackChunk(chunk) }
}
