import { packRecord, type StreamRecord } from '#core/ingest/record'
import type { Compactor } from '#core/lake/compactor'
import type { LakeJob } from '#core/lake/jobs'
import { coldKey, partitionValue, warmKey } from '#core/lake/keys'
import type { HotRow } from '#core/lake/rows'
import type { EventStream, JobQueue, Lake, LakeObject, StreamEntry } from '#core/ports'
import type { EventCount, UsageCounters } from '#core/usage/counters'

/**
 * The fakes that the stream simulator drives the lake's code with: whole and synchronous inside, so that the only
 * disorder is what the simulator makes between their calls.
 */

/** What a simulated lake object holds: which event, its bucket and date, and, once cold, its epoch. */
export type SimulatedRow = { id: string; bucket: number; date: string; epoch?: number }

const rowsOf = new WeakMap<Uint8Array, readonly SimulatedRow[]>()

function asObject(rows: readonly SimulatedRow[]): Uint8Array {
  const bytes = new Uint8Array(0)
  rowsOf.set(bytes, rows)
  return bytes
}

/** Stands for Parquet: the simulator is about which rows are where, not about bytes. */
export function encodeSimulated(rows: readonly HotRow[]): Uint8Array {
  return asObject(
    rows.map(row => ({
      id: String(row.event),
      bucket: Number(row.bucket),
      date: new Date(Number(row.timestamp)).toISOString().slice(0, 10),
    })),
  )
}

/** `changes` counts puts and deletions, so that a check is made only when there is something new to check. */
export type SimulatedLake = Lake & {
  changes: number
  objects: Map<string, Uint8Array>
  rows(key: string): readonly SimulatedRow[]
}

export function createSimulatedLake(): SimulatedLake {
  const objects = new Map<string, Uint8Array>()
  const lake: SimulatedLake = {
    changes: 0,
    objects,
    rows: key => rowsOf.get(objects.get(key) as Uint8Array) ?? [],
    async put(key, bytes) {
      objects.set(key, bytes)
      lake.changes++
    },
    async get(key) {
      return objects.get(key) ?? null
    },
    async list(prefix) {
      const found: LakeObject[] = []
      for (const key of objects.keys()) if (key.startsWith(prefix)) found.push({ key, size: 1 })
      return found.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key)
      lake.changes++
    },
  }
  return lake
}

export type SimulatedShard = { entries: (StreamEntry & { at: bigint; ids: string[] })[]; open: boolean }

export type SimulatedStream = EventStream & {
  byName: Map<string, SimulatedShard>
  /** Puts a record on a shard; null stands for bytes that nobody can read. */
  accept(shard: string, record: StreamRecord | null): void
}

export function createSimulatedStream(): SimulatedStream {
  const byName = new Map<string, SimulatedShard>([['s0', { entries: [], open: true }]])
  let sequence = 0n
  return {
    byName,
    accept(shard, record) {
      // Kinesis numbers have gaps, and more digits than a double holds.
      sequence += 1n + (sequence % 3n)
      const ids = record?.kind === 'events' ? record.events.map(event => event.event) : []
      const data = record === null ? Buffer.from('unreadable') : packRecord(record)
      const at = 10n ** 20n + sequence
      byName.get(shard)?.entries.push({ sequence: String(at), at, data, ids })
    },
    async append() {
      throw new Error('the simulator accepts records itself')
    },
    async shards() {
      return [...byName.keys()]
    },
    async read(shard, after, limit) {
      const entries = byName.get(shard)?.entries ?? []
      return entries.filter(entry => after === null || BigInt(entry.sequence) > BigInt(after)).slice(0, limit)
    },
  }
}

/** Compaction over the simulated objects, by way of the lake's port, so that it too can die between two calls. */
export function createSimulatedCompactor(lake: Lake): Compactor {
  async function read(keys: readonly string[]): Promise<SimulatedRow[]> {
    const rows: SimulatedRow[] = []
    for (const key of keys) {
      const bytes = await lake.get(key)
      if (bytes === null) throw new Error(`${key} is gone`)
      rows.push(
        ...(rowsOf.get(bytes) ?? []).map(row => ({ ...row, epoch: Number(partitionValue(key, 'epoch')) })),
      )
    }
    return rows
  }
  return {
    async compactEpoch({ epoch, hot, part, parts }) {
      const rows = (await read(hot)).filter(row => row.bucket % parts === part)
      for (const [bucket, ofBucket] of Map.groupBy(rows, row => row.bucket)) {
        await lake.put(warmKey(epoch, bucket), asObject(ofBucket))
      }
      return []
    },
    async compactToCold({ from, until, bucket, warm }) {
      for (const [date, rows] of Map.groupBy(await read(warm), row => row.date)) {
        await lake.put(coldKey('events_cold', date, bucket, from, until), asObject(rows))
      }
    },
  }
}

/** Counters with the guard of the real ones: a source's mark is counted once. */
export function createSimulatedUsage() {
  const items = new Map<string, { mark: bigint; events: number }>()
  const usage: Pick<UsageCounters, 'addEvents' | 'addBots'> = {
    async addEvents(source: string, mark: string, counts: readonly EventCount[]) {
      for (const { owner, events } of counts) {
        const item = items.get(`${owner} ${source}`) ?? { mark: -1n, events: 0 }
        if (BigInt(mark) > item.mark)
          items.set(`${owner} ${source}`, { mark: BigInt(mark), events: item.events + events })
      }
    },
    async addBots() {},
  }
  return { usage, items }
}

/** A queue that a test empties; a message may be taken and stay, as at-least-once delivery allows. */
export function createSimulatedQueue(): JobQueue<LakeJob> & { jobs: LakeJob[] } {
  const jobs: LakeJob[] = []
  return {
    jobs,
    async send(job) {
      jobs.push(job)
    },
  }
}
