import { packRecord, type StreamRecord } from '#core/ingest/record'
import type { Compactor } from '#core/lake/compactor'
import type { LakeJob } from '#core/lake/jobs'
import { coldKey, partitionValue, warmKey } from '#core/lake/keys'
import type { HotRow } from '#core/lake/rows'
import type { EventStream, JobQueue, Lake, LakeObject, StreamEntry } from '#core/ports'
import type { EventCount, UsageCounters } from '#core/usage/counters'

/**
 * In-memory ports for the simulator and for tests of one component. Each call takes effect at once, so only the simulator
 * decides how calls overlap.
 */

/** A row of a simulated lake object. Only rows of cold objects have an epoch. */
export type SimulatedRow = { id: string; bucket: number; date: string; epoch?: number }

const rowsOf = new WeakMap<Uint8Array, readonly SimulatedRow[]>()

function toObject(rows: readonly SimulatedRow[]): Uint8Array {
  const bytes = new Uint8Array(0)
  rowsOf.set(bytes, rows)
  return bytes
}

/** Stands for the Parquet encoder. The simulator checks which rows are in which object, not their bytes. */
export function encodeSimulated(rows: readonly HotRow[]): Uint8Array {
  return toObject(
    rows.map(row => ({
      id: String(row.event),
      bucket: Number(row.bucket),
      date: new Date(Number(row.timestamp)).toISOString().slice(0, 10),
    })),
  )
}

/** `changes` counts puts and deletions, so that tests can skip checks while nothing changes. */
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
      const matches: LakeObject[] = []
      for (const key of objects.keys()) if (key.startsWith(prefix)) matches.push({ key, size: 1 })
      return matches.toSorted((a, b) => (a.key < b.key ? -1 : 1))
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
  /** Appends a record to a shard. Null appends bytes that cannot be read. */
  accept(shard: string, record: StreamRecord | null): void
}

export function createSimulatedStream(): SimulatedStream {
  const byName = new Map<string, SimulatedShard>([['s0', { entries: [], open: true }]])
  let sequence = 0n
  return {
    byName,
    accept(shard, record) {
      // Sequence numbers of Kinesis have gaps, and more digits than a double can hold.
      sequence += 1n + (sequence % 3n)
      const ids = record?.kind === 'events' ? record.events.map(event => event.event) : []
      const data = record === null ? Buffer.from('unreadable') : packRecord(record)
      const at = 10n ** 20n + sequence
      byName.get(shard)?.entries.push({ sequence: String(at), at, data, ids })
    },
    async append() {
      throw new Error('Tests append records with accept().')
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

/** Compacts simulated objects. It uses the lake's port, so it can be killed between two calls. */
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
      for (const [bucket, bucketRows] of Map.groupBy(rows, row => row.bucket)) {
        await lake.put(warmKey(epoch, bucket), toObject(bucketRows))
      }
      return []
    },
    async compactToCold({ from, until, bucket, warm }) {
      for (const [date, rows] of Map.groupBy(await read(warm), row => row.date)) {
        await lake.put(coldKey('events_cold', date, bucket, from, until), toObject(rows))
      }
    },
  }
}

/** Counters that count each checkpoint of a source once, like the real ones. */
export function createSimulatedUsage() {
  const items = new Map<string, { checkpoint: bigint; events: number }>()
  const usage: Pick<UsageCounters, 'addEvents' | 'addBots'> = {
    async addEvents(source: string, checkpoint: string, counts: readonly EventCount[]) {
      for (const { owner, events } of counts) {
        const item = items.get(`${owner} ${source}`) ?? { checkpoint: -1n, events: 0 }
        if (BigInt(checkpoint) > item.checkpoint) {
          items.set(`${owner} ${source}`, {
            checkpoint: BigInt(checkpoint),
            events: item.events + events,
          })
        }
      }
    },
    async addBots() {},
  }
  return { usage, items }
}

/** A queue whose jobs tests take out. A test may also run a job and leave it, because delivery is at least once. */
export function createSimulatedQueue(): JobQueue<LakeJob> & { jobs: LakeJob[] } {
  const jobs: LakeJob[] = []
  return {
    jobs,
    async send(job) {
      jobs.push(job)
    },
  }
}
