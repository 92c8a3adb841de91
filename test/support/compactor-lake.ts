import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { onTestFinished } from 'vitest'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import type { MergeJob } from '#core/lake/model/compactor'
import { hotKey, SEGMENT_TABLES, type SegmentTable, segmentKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import type { TombstoneBatch } from '#core/lake/model/tombstone-batch'
import { PART_VALUES } from '#core/lake/read/user-parts'
import type { Lake, LakeObject } from '#core/ports'
import { type CompactorSettings, createCompactor } from '#duckdb/compactor'
import { createFolderLake } from '#local/lake/folder'
import type { EventsRecord } from './build-lake.ts'

/** A row as a Parquet reader of JavaScript returns it: int64 as bigint, timestamps and dates as Date. */
export type StoredRow = Record<string, unknown>

/** A compactor over a lake in a folder that is deleted after the test. */
export async function openCompactorLake(
  settings: Partial<CompactorSettings> = {},
  wrapLake: (lake: Lake) => Lake = lake => lake,
) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-compactor-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const lake = wrapLake(createFolderLake(join(dir, 'lake')))
  const tempDir = join(dir, 'temp')
  const logged: string[] = []
  const compactor = createCompactor({
    lake,
    tempDir,
    log: code => logged.push(code),
    threads: 1,
    minComparedEvents: 0,
    ...settings,
  })

  /** Writes the next hot file of a shard in the epoch. */
  async function writeHot(epoch: number, records: readonly EventsRecord[], shard = '0'): Promise<LakeObject> {
    const count = String((await lake.list(`hot/epoch=${epoch}/`)).length).padStart(3, '0')
    const key = hotKey(shard, { first: count, last: count, epoch })
    const bytes = encodeHot(hotColumnsOf(records))
    await lake.put(key, bytes)
    return { key, size: bytes.length }
  }

  async function readRows(key: string): Promise<StoredRow[]> {
    const bytes = await lake.get(key)
    if (bytes === null) throw new Error(`${key} does not exist`)
    return parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
  }

  /** The rows of all parts of a segment. */
  async function readSegment(table: SegmentTable, segment: Segment | null, bucket = 7): Promise<StoredRow[]> {
    const rows: StoredRow[] = []
    for (let part = 0; part < (segment?.parts ?? 0); part++) {
      rows.push(...(await readRows(segmentKey(table, bucket, segment as Segment, part))))
    }
    return rows
  }

  /**
   * Compacts all hot files of the epoch, and returns the segment of a bucket. Throws if the bucket failed.
   */
  async function compact(
    epoch: number,
    {
      bucket = 7,
      eventIds = [] as readonly string[],
      generation = 0,
      tombstones = [] as readonly TombstoneBatch[],
      older = [] as readonly Segment[],
    } = {},
  ): Promise<Segment | null> {
    const hot = await lake.list(`hot/epoch=${epoch}/`)
    const [result] = await compactor.compactEpoch({
      epoch,
      hot,
      buckets: [{ bucket, eventIds, generation, tombstones, older }],
    })
    if (result === undefined || 'failure' in result) throw result?.failure
    return result.segment
  }

  /** Merges segments without erasures. */
  async function mergeSegments(job: Omit<MergeJob, 'tombstones'>): Promise<Segment> {
    const { segment } = await compactor.mergeSegments({ ...job, tombstones: [] })
    if (segment === null) throw new Error('Nothing is left.')
    return segment
  }

  const keys = async (prefix = '') => (await lake.list(prefix)).map(object => object.key)
  return { lake, tempDir, compactor, logged, writeHot, readSegment, compact, mergeSegments, keys }
}

/** Rows without the seq of events in user_parts: merged rows do not know it. */
export function withoutSeqs(rows: readonly StoredRow[]): StoredRow[] {
  const isSeq = (i: number) => PART_VALUES[i]?.endsWith('_seq')
  const clear = (part: string) => part.split('|').map((value, i) => (isSeq(i) && value !== '' ? '-' : value))
  return rows.map(row =>
    typeof row.user_parts === 'string'
      ? { ...row, user_parts: row.user_parts.split(',').map(part => clear(part).join('|')) }
      : row,
  )
}

let seq = 0

/** A request with one event, or with several. */
export function request(options: {
  project?: string
  bucket?: number
  at?: number
  seq?: number
  events?: Partial<EventsRecord['events'][number]>[]
}): EventsRecord {
  const { project = 'proj_1', bucket = 7, at = START, events = [{}] } = options
  seq += 1_000
  return {
    kind: 'events',
    project_id: project,
    account_id: 'acc_1',
    bucket,
    received_at: at,
    seq: options.seq ?? seq,
    country: 'DE',
    events: events.map(event => ({
      event: 'page_view',
      properties: null,
      user_id: 'u1',
      session_id: 's1',
      timestamp: at,
      event_id: null,
      ...event,
    })),
  }
}

/** For a compaction of a bucket without erasures and older segments. */
export const NOTHING_BEFORE = { generation: 0, tombstones: [], older: [] }

export const HOUR = 3_600_000
/** When a request arrives by default. The next UTC date begins two hours later. */
export const START = Date.parse('2026-11-18T22:00:00Z')

/** All files of a segment. */
export function keysOf(segment: Segment, bucket = 7): string[] {
  return SEGMENT_TABLES.map(table => segmentKey(table, bucket, segment, 0)).toSorted()
}
