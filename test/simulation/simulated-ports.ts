import { packRecord, type StreamRecord } from '#core/ingest/record'
import type { LakeJob } from '#core/lake/compact/jobs'
import type { HotColumns } from '#core/lake/consume/hot-columns'
import { hotUserNumbers, insertHotUsers, mayHaveHotUsers } from '#core/lake/consume/hot-users'
import { shortKey } from '#core/lake/consume/id-keys'
import { describeRows, type TombstoneRow } from '#core/lake/erase/tombstone-file'
import { userHash } from '#core/lake/erase/tombstones'
import type { CompactedBucket, Compactor, ReplacedEvent, StoredEvents } from '#core/lake/model/compactor'
import { APPEND_RETRY_S, EVENT_ID_HORIZON_S, JUMP_S, LOOKBACK_S } from '#core/lake/model/copies'
import { parseHotKey, segmentKey, segmentKeys, tombstoneKey } from '#core/lake/model/keys'
import type { Segment, SegmentId } from '#core/lake/model/segment'
import type { RemovedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import {
  type EventStream,
  type JobQueue,
  type Lake,
  type LakeObject,
  LIST_PAGE,
  type StreamEntry,
} from '#core/ports'
import { utcDate } from '#core/time'
import type { ClaimedEvents, UsageCounters } from '#core/usage/counters'
import { rowsOfColumns } from '#test/support/hot-rows'
import { isBucketFailure } from './failing-bucket.ts'

/**
 * In-memory ports for the simulator and for tests of one component. Each call takes effect at once, so only
 * the simulator decides how calls overlap.
 */

/** A row of a simulated lake object: of an event, or of its id in segment_event_ids. */
export type SimulatedRow = {
  id: string
  project: string
  bucket: number
  user: string | null
  timestamp: number
  /** Unix s, and Unix ms. */
  arrival: number
  arrivalMs: number
  seq: number
  /** The event_id, or null. */
  key: string | null
  isCredentialed: boolean
  /** What a hot file keeps of an erased event: neither its user nor what it says. */
  isNameless?: true
}

const rowsOf = new WeakMap<Uint8Array, readonly SimulatedRow[]>()

function toObject(rows: readonly SimulatedRow[], bytes: Uint8Array = new Uint8Array(0)): Uint8Array {
  rowsOf.set(bytes, rows)
  return bytes
}

/** A hot file: without rows, but with what its end says of their users, and with a footer of no bytes. */
function toHotFile(rows: readonly SimulatedRow[]): Uint8Array {
  const named = rows.filter(hasName)
  const numbers = hotUserNumbers([
    ...named.map(({ project: project_id, user }) => ({ project_id, user_key: shortKey(user) })),
    ...named.map(({ project: project_id }) => ({ project_id, user_key: null })),
  ])
  const end = Buffer.concat([Buffer.alloc(4), Buffer.from('PAR1')])
  return toObject(rows, insertHotUsers(end, numbers))
}

/** The rows of an object that this module made. */
export function simulatedRows(bytes: Uint8Array): readonly SimulatedRow[] {
  return rowsOf.get(bytes) ?? []
}

/** Stands for the Parquet encoder. The simulator checks which rows are in which object, not their bytes. */
export function encodeSimulated(hot: HotColumns): Uint8Array {
  return toHotFile(
    rowsOfColumns(hot).map(row => ({
      id: String(row.event),
      project: String(row.project_id),
      bucket: Number(row.bucket),
      user: row.user_id === null ? null : String(row.user_id),
      timestamp: Number(row.timestamp),
      arrival: Math.floor(Number(row.timestamp) / 1_000) + Number(row.lag_s),
      arrivalMs:
        (Math.floor(Number(row.timestamp) / 1_000) + Number(row.lag_s)) * 1_000 +
        ((Number(row.timestamp) + Number(row.lag_ms)) % 1_000),
      seq: Number(row.seq),
      key: row.event_id === null ? null : String(row.event_id),
      isCredentialed: row.event_key !== null && BigInt(row.event_key) % 2n === 1n,
    })),
  )
}

const tombstonesOf = new WeakMap<Uint8Array, readonly TombstoneRow[]>()

/** Stands for the encoder of tombstones. */
export function encodeSimulatedTombstones(rows: readonly TombstoneRow[]): Uint8Array {
  const bytes = new Uint8Array(0)
  tombstonesOf.set(bytes, rows)
  return bytes
}

/** The tombstones of an object that this module made. */
export function simulatedTombstones(bytes: Uint8Array | null | undefined): readonly TombstoneRow[] {
  const rows = bytes == null ? undefined : tombstonesOf.get(bytes)
  if (rows === undefined) throw new Error('The file of tombstones does not exist')
  return rows
}

/** `changes` counts puts and deletions, so that tests can skip checks while nothing changes. */
export type SimulatedLake = Lake & {
  changes: number
  objects: Map<string, Uint8Array>
  rows(key: string): readonly SimulatedRow[]
  /** Lists the keys synchronously, so it takes no turn of the simulator. */
  keys(prefix: string): string[]
}

/** `pageKeys`: keys of a page of a listing. */
export function createSimulatedLake(pageKeys = LIST_PAGE): SimulatedLake {
  const objects = new Map<string, Uint8Array>()
  const lake: SimulatedLake = {
    changes: 0,
    objects,
    rows: key => simulatedRows(objects.get(key) as Uint8Array),
    async put(key, bytes) {
      objects.set(key, bytes)
      lake.changes++
    },
    async get(key) {
      return objects.get(key) ?? null
    },
    keys: prefix => [...objects.keys()].filter(key => key.startsWith(prefix)).toSorted(),
    async list(prefix) {
      return lake.keys(prefix).map((key): LakeObject => ({ key, size: 1 }))
    },
    async listPage(prefix, after) {
      const left = lake.keys(prefix).filter(key => after === null || key > after)
      const keys = left.slice(0, pageKeys)
      const next = left.length > pageKeys ? (keys.at(-1) ?? null) : null
      return { objects: keys.map((key): LakeObject => ({ key, size: 1 })), next }
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key)
      lake.changes++
    },
  }
  return lake
}

/** `winners`: the ids that came with a credential. */
export type SimulatedShard = {
  entries: (StreamEntry & { at: bigint; ids: string[]; winners: string[] })[]
  open: boolean
  /** Its last record has expired: the stream no longer has it. */
  gone?: boolean
}

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
      const winners = record?.kind === 'events' && record.credentialed ? ids : []
      byName.get(shard)?.entries.push({ sequence: String(at), at, data, ids, winners })
    },
    async append() {
      throw new Error('Tests append records with accept().')
    },
    async shards() {
      return [...byName].filter(([, { gone }]) => !gone).map(([name]) => name)
    },
    async read(shard, after, limit) {
      const { entries = [], gone = false } = byName.get(shard) ?? {}
      if (gone) return []
      return entries.filter(entry => after === null || BigInt(entry.sequence) > BigInt(after)).slice(0, limit)
    },
  }
}

/**
 * Compacts simulated objects by the rules of duckdb/compactor.ts. It uses the lake's port, so it can be
 * killed between two calls.
 * `fails` makes the compaction of a bucket fail.
 */
export function createSimulatedCompactor(lake: Lake, fails: () => boolean = () => false): Compactor {
  async function read(key: string): Promise<readonly SimulatedRow[]> {
    const bytes = await lake.get(key)
    if (bytes === null) throw new Error(`${key} is gone`)
    return simulatedRows(bytes)
  }

  async function readAll(keys: readonly string[]): Promise<SimulatedRow[]> {
    const rows: SimulatedRow[] = []
    for (const key of keys) rows.push(...(await read(key)))
    return rows
  }

  async function readTombstones(bucket: number, batches: readonly TombstoneBatch[]): Promise<TombstoneRow[]> {
    const rows: TombstoneRow[] = []
    for (const batch of batches)
      rows.push(...simulatedTombstones(await lake.get(tombstoneKey(bucket, batch))))
    return rows
  }

  async function write(
    bucket: number,
    id: SegmentId,
    rows: readonly SimulatedRow[],
    eventIds: readonly SimulatedRow[],
    described: readonly SimulatedRow[],
  ): Promise<Segment> {
    if (eventIds.length > 0)
      await lake.put(segmentKey('segment_event_ids', bucket, id, 0), toObject(eventIds))
    await lake.put(segmentKey('segment_events', bucket, id, 0), toObject(rows))
    return { ...describe(id, described, eventIds), rows: rows.length, bytes: rows.length * 100_000 }
  }

  async function compactBucket(
    epoch: number,
    bucket: number,
    hotRows: readonly (SimulatedRow & { shard: string })[],
    { generation, tombstones }: { generation: number; tombstones: readonly TombstoneRow[] },
    knownIds: readonly SimulatedRow[],
  ): Promise<CompactedBucket> {
    if (fails()) return { bucket, failure: new Error(`Bucket ${bucket} fails in epoch ${epoch}`) }
    const rows = hotRows.filter(row => row.bucket === bucket)
    const kept = dropCopies(rows, knownIds)
    const isEmpty = rows.length === 0
    if (kept.length === 0) return { bucket, isEmpty, segment: null, stored: [], removed: [], replaced: [] }
    const replaced = knownIds.filter(known => kept.some(row => isReplaced(known, row)))
    const newestOfShard = new Map<string, number>()
    for (const { shard, arrival } of rows)
      newestOfShard.set(shard, Math.max(arrival, newestOfShard.get(shard) ?? 0))
    const eventIds = kept.filter(
      ({ key, shard, arrival }) =>
        key !== null || arrival >= (newestOfShard.get(shard) ?? 0) - APPEND_RETRY_S,
    )
    const id = { from: epoch, until: epoch + 1, generation }
    const { left, removed } = withoutErased(kept.filter(hasName), tombstones)
    return {
      bucket,
      isEmpty,
      segment: await write(bucket, id, left, eventIds, kept),
      removed,
      replaced: replaced.map(toReplacedEvent),
      stored: toStoredEvents(kept),
    }
  }

  return {
    async compactEpoch({ epoch, hot, buckets }) {
      const rows: (SimulatedRow & { shard: string })[] = []
      for (const { key } of hot) {
        const shard = parseHotKey(key)?.shard ?? ''
        for (const row of await read(key)) rows.push({ ...row, shard })
      }
      const results: CompactedBucket[] = []
      for (const { bucket, generation, tombstones, eventIds } of buckets) {
        try {
          const erased = await readTombstones(bucket, tombstones)
          const change = { generation, tombstones: erased }
          results.push(await compactBucket(epoch, bucket, rows, change, await readAll(eventIds)))
        } catch (failure) {
          // The real compactor fails alone for the bucket, too.
          if (!isBucketFailure(failure)) throw failure
          results.push({ bucket, failure })
        }
      }
      return results
    },
    async mergeSegments({ bucket, segments, target, tombstones }) {
      const all = await readAll(segments.flatMap(segment => segmentKeys('segment_events', bucket, segment)))
      const withIds = segments.filter(({ eventIds }) => eventIds > 0)
      const ids = await readAll(withIds.flatMap(segment => segmentKeys('segment_event_ids', bucket, segment)))
      const newest = Math.max(...segments.map(({ lastArrival }) => lastArrival))
      const beforeJump = beforeNewestJump(ids.map(({ arrival }) => arrival))
      const eventIds = ids.filter(
        ({ arrival }) =>
          arrival >= newest - LOOKBACK_S || (arrival <= beforeJump && arrival >= beforeJump - LOOKBACK_S),
      )
      const { left, removed } = withoutErased(all, await readTombstones(bucket, tombstones))
      if (left.length === 0 && eventIds.length === 0) return { segment: null, removed }
      const merged = await write(bucket, target, left, eventIds, left)
      return { segment: { ...merged, ...boundsOf(segments) }, removed }
    },
    async rewriteSegment({ bucket, segment, generation, tombstones, replaced = [] }) {
      if (fails()) throw new Error(`Bucket ${bucket} fails in epoch ${segment.from}`)
      const names = new Set(replaced.map(({ key, arrival }) => `${key} ${arrival}`))
      const isNamed = (row: SimulatedRow) => {
        const { key, arrival } = toReplacedEvent(row)
        return !row.isCredentialed && names.has(`${key} ${arrival}`)
      }
      const rows = await readAll(segmentKeys('segment_events', bucket, segment))
      const ids =
        segment.eventIds === 0 ? [] : await readAll(segmentKeys('segment_event_ids', bucket, segment))
      const eventIds = ids.filter(row => !isNamed(row))
      const { left, removed } = withoutErased(
        rows.filter(row => !isNamed(row)),
        await readTombstones(bucket, tombstones),
      )
      const replacedEvents = toStoredEvents(rows.filter(isNamed))
      if (removed.length === 0 && eventIds.length === ids.length) return null
      if (left.length === 0 && eventIds.length === 0)
        return { segment: null, removed, replaced: replacedEvents }
      const rewritten = await write(bucket, { ...segment, generation }, left, eventIds, left)
      return { segment: { ...rewritten, ...boundsOf([segment]) }, removed, replaced: replacedEvents }
    },
    async rewriteHot({ keys, buckets }) {
      let files = 0
      const tombstones: TombstoneRow[] = []
      for (const each of buckets) tombstones.push(...(await readTombstones(each.bucket, each.tombstones)))
      const erased = hotUserNumbers(tombstones)
      for (const key of keys) {
        const end = await lake.get(key)
        if (end === null || mayHaveHotUsers(end, erased) === false) continue
        const rows = await readAll([key])
        const { left, removed } = withoutErased(rows.filter(hasName), tombstones)
        if (removed.length === 0) continue
        const withIds = rows.filter(row => row.key !== null && !left.includes(row))
        await lake.put(key, toHotFile([...left, ...withIds.map(toNameless)]))
        files++
      }
      return files
    },
    async mergeTombstones({ bucket, batches, writer, forgotten }) {
      const rows = (await readTombstones(bucket, batches)).filter(
        ({ user_hash, erased_until_ms }) =>
          Math.floor(erased_until_ms / 1_000) > (user_hash === null ? forgotten.projects : forgotten.persons),
      )
      if (rows.length === 0) return null
      const number = batches.at(-1)?.number ?? 0
      await lake.put(tombstoneKey(bucket, { number, writer }), encodeSimulatedTombstones(rows))
      return { number, first: batches[0]?.first ?? 0, writer, ...describeRows(rows) }
    },
    async describeSegment(bucket, segment) {
      const rows = await readAll(segmentKeys('segment_events', bucket, segment))
      const idsKey = segmentKey('segment_event_ids', bucket, segment, 0)
      return describe(segment, rows, (await lake.get(idsKey)) === null ? [] : await read(idsKey))
    },
  }
}

function describe(
  { from, until, generation }: SegmentId,
  rows: readonly SimulatedRow[],
  eventIds: readonly SimulatedRow[],
): Segment {
  return {
    from,
    until,
    generation,
    parts: 1,
    rows: rows.length,
    bytes: rows.length * 100_000,
    firstAt: Math.min(...rows.map(({ timestamp }) => timestamp)),
    lastAt: Math.max(...rows.map(({ timestamp }) => timestamp)),
    lastArrival: Math.max(...rows.map(({ arrival }) => arrival)),
    eventIds: eventIds.length,
    erased: generation,
    knowsSplit: false,
    knowsSources: false,
  }
}

/** The last arrival before the newest jump; -Infinity without one. */
function beforeNewestJump(arrivals: readonly number[]): number {
  const sorted = arrivals.toSorted((a, b) => b - a)
  return (
    sorted.find((each, i) => i > 0 && (sorted[i - 1] as number) - each > JUMP_S) ?? Number.NEGATIVE_INFINITY
  )
}

function boundsOf(segments: readonly Segment[]) {
  return {
    firstAt: Math.min(...segments.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...segments.map(({ lastAt }) => lastAt)),
    lastArrival: Math.max(...segments.map(({ lastArrival }) => lastArrival)),
  }
}

/** Whether the event is one of those that the tombstone names. */
export function isErased(
  row: SimulatedRow,
  { project_id, user_hash, erased_until_ms }: Omit<TombstoneRow, 'number'>,
): boolean {
  const isOfUser = user_hash === null || (row.user !== null && user_hash === userHash(row.user))
  return row.project === project_id && isOfUser && row.arrivalMs <= erased_until_ms
}

/** Whether the row with a credential replaces the other one, which has none (core/lake/model/copies.ts). */
export function isReplaced(other: SimulatedRow, row: SimulatedRow): boolean {
  return (
    row.isCredentialed &&
    !other.isCredentialed &&
    row.key !== null &&
    eventId(row) === eventId(other) &&
    Math.abs(row.arrival - other.arrival) <= EVENT_ID_HORIZON_S
  )
}

function toReplacedEvent(row: SimulatedRow): ReplacedEvent {
  return { key: eventId(row), arrival: row.arrival }
}

function toStoredEvents(rows: readonly SimulatedRow[]): StoredEvents[] {
  const groups = Map.groupBy(rows, row => `${row.project} ${utcDate(row.arrival * 1_000)}`)
  return [...groups].map(([name, group]) => {
    const [project_id, day] = name.split(' ') as [string, string]
    return { project_id, day, events: group.length }
  })
}

/** False for what a hot file keeps of an erased event (duckdb/rewrite-hot.ts). */
export function hasName({ isNameless }: SimulatedRow): boolean {
  return isNameless !== true
}

function toNameless(row: SimulatedRow): SimulatedRow {
  return { ...row, user: null, isNameless: true }
}

function withoutErased(rows: readonly SimulatedRow[], tombstones: readonly TombstoneRow[]) {
  const groups = Map.groupBy(rows, row => tombstones.find(tombstone => isErased(row, tombstone))?.number ?? 0)
  const removed: RemovedEvents[] = [...groups]
    .filter(([number]) => number > 0)
    .map(([number, { length }]) => ({ number, events: length }))
  return { left: groups.get(0) ?? [], removed }
}

/**
 * The rows without copies: of rows with one event_id the first by (arrival, seq) within the horizon, unless
 * it is known, and among those with a credential if there is one; of rows with one timestamp, arrival and seq
 * one, because the service itself made the others.
 */
export function dropCopies<Row extends SimulatedRow>(
  rows: readonly Row[],
  knownIds: readonly SimulatedRow[],
): Row[] {
  const known = new Map<string, SimulatedRow[]>()
  const stored = new Set<string>()
  for (const row of knownIds) remember(row)
  function remember(row: SimulatedRow): void {
    stored.add(serviceId(row))
    if (row.key !== null) known.set(eventId(row), [...(known.get(eventId(row)) ?? []), row])
  }
  const kept: Row[] = []
  for (const row of rows.toSorted((a, b) => a.arrival - b.arrival || a.seq - b.seq)) {
    const earlier = row.key === null ? [] : (known.get(eventId(row)) ?? [])
    const isCopy =
      earlier.some(
        other =>
          row.arrival - other.arrival <= EVENT_ID_HORIZON_S && (other.isCredentialed || !row.isCredentialed),
      ) ||
      rows.some(other => isReplaced(row, other)) ||
      stored.has(serviceId(row))
    if (!isCopy) kept.push(row)
    remember(row)
  }
  return kept
}

const eventId = ({ project, key }: SimulatedRow): string => `${project} ${key}`
export const serviceId = ({ project, timestamp, arrival, seq }: SimulatedRow): string =>
  `${project} ${timestamp} ${arrival} ${seq}`

/**
 * Counters that count each claim and each epoch of a bucket once, like the real ones. `claimed` has the
 * counts by shard and last record, `folded` the events by bucket and epoch.
 */
export function createSimulatedUsage() {
  const claimed = new Map<string, readonly ClaimedEvents[]>()
  const folded = new Map<string, number>()
  const usage: Pick<UsageCounters, 'addClaim' | 'foldEpoch' | 'deleteFoldedCounts' | 'addBots'> = {
    async addClaim({ shard, last }, counts) {
      claimed.set(`${shard} ${last}`, counts)
    },
    async foldEpoch(epoch, bucket, stored) {
      const events = stored.reduce((sum, count) => sum + count.events, 0)
      if (!folded.has(`${bucket} ${epoch}`)) folded.set(`${bucket} ${epoch}`, events)
    },
    async deleteFoldedCounts() {},
    async addBots() {},
  }
  return { usage, claimed, folded }
}

/**
 * A queue whose jobs tests take out. A test may also run a job and leave it, because delivery is at least
 * once.
 */
export function createSimulatedQueue(): JobQueue<LakeJob> & { jobs: LakeJob[] } {
  const jobs: LakeJob[] = []
  return {
    jobs,
    async send(job) {
      jobs.push(job)
    },
  }
}
