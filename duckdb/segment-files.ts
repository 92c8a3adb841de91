import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type SegmentTable, segmentKey } from '#core/lake/model/keys'
import type { Segment, SegmentId } from '#core/lake/model/segment'
import type { Lake } from '#core/ports'
import type { ScratchDatabase } from './scratch-database.ts'
import type { SegmentLayout } from './segment-layout.ts'
import { writeSortedEvents } from './sorted-events.ts'
import { newerColumns, selectColumns, text } from './tables.ts'

/** One part of a segment. Its files have the rows of these SELECTs. */
export type SegmentPart = {
  bucket: number
  segment: SegmentId
  part: number
  /** Which rows of event_rows. */
  events: string
  sessions: string
  activity: string
  /** Null: the segment has no files of segment_event_ids. */
  eventIds: string | null
}

/** Rows of one day lie together, and equal values of the next columns too, which makes the files small. */
const ORDERS = {
  segment_sessions: 'project_id, date, user_key NULLS LAST, start_at, session_key',
  segment_activity: 'project_id, date, user_key NULLS LAST, event, country NULLS LAST',
  segment_event_ids: 'event_key, arrival',
} as const

export type SegmentWriter = {
  database: ScratchDatabase
  lake: Lake
  memoryMb: number
  layout: SegmentLayout
}

/**
 * Writes the files of a part and returns their bytes. The file of the events comes last: then the part is
 * complete.
 */
export async function writeSegmentPart(
  { database, lake, memoryMb, layout }: SegmentWriter,
  { bucket, segment, part, events, ...selects }: SegmentPart,
): Promise<number> {
  const { zstdLevel, eventRowGroup, rollupRowGroup } = layout
  const path = join(database.folder, 'output.parquet')
  // There are no Bloom filters: they cost 0.6 bytes an event, more than all other overhead of a small file,
  // and help only reads of one user or session.
  const format = 'FORMAT parquet, PARQUET_VERSION V2, WRITE_BLOOM_FILTER false'
  const zstd = `COMPRESSION zstd, COMPRESSION_LEVEL ${zstdLevel}`
  // GET /stats decodes the whole activity twice. With Snappy in place of zstd it takes 476 ms in place of
  // 500, and an event takes 0.4 bytes more.
  const compressions = {
    segment_sessions: zstd,
    segment_activity: 'COMPRESSION snappy',
    segment_event_ids: zstd,
  }

  async function writeRollup(table: keyof typeof ORDERS, select: string) {
    await database.run(`COPY (${selectColumns(table)} FROM (${select}) AS rollup ORDER BY ${ORDERS[table]})
      TO ${text(path)} (${format}, ${compressions[table]}, ROW_GROUP_SIZE ${rollupRowGroup})`)
    return readOutput(table)
  }

  async function writeEvents() {
    const select = selectColumns('segment_events', await newerColumns(database.connection, 'event_rows'))
    const options = `${format}, ${zstd}`
    const output = { select, where: events, path, options, rowGroupRows: eventRowGroup }
    await writeSortedEvents(database.connection, output, memoryMb)
    return readOutput('segment_events')
  }

  async function readOutput(table: SegmentTable) {
    const content = await readFile(path)
    await rm(path)
    return { key: segmentKey(table, bucket, segment, part), content }
  }

  const { rollups, eventsFile } = await database.exclusively(async () => ({
    rollups: [
      await writeRollup('segment_sessions', selects.sessions),
      await writeRollup('segment_activity', selects.activity),
      ...(selects.eventIds === null ? [] : [await writeRollup('segment_event_ids', selects.eventIds)]),
    ],
    eventsFile: await writeEvents(),
  }))
  await Promise.all(rollups.map(({ key, content }) => lake.put(key, content)))
  await lake.put(eventsFile.key, eventsFile.content)
  return [...rollups, eventsFile].reduce((sum, { content }) => sum + content.length, 0)
}

/** What the manifest says of events. Times as there. */
export type EventsDescription = {
  bucket: number
  rows: number
  first_at: number
  last_at: number
  last_arrival: number
}

/** A row of describeEvents of duckdb/compaction-sql.ts. `json_bytes`: of the properties as JSON. */
export type DescribedEvents = EventsDescription & { json_bytes: number }

export type WrittenPart = EventsDescription & { bytes: number }

/**
 * What the manifest says of a segment that has these parts. `knows`: what its rows of sessions know. Those
 * that this version writes know the sources.
 */
export function toSegment(
  { from, until, generation }: SegmentId,
  parts: readonly WrittenPart[],
  eventIds: number,
  knows: Pick<Segment, 'knowsSplit'> & Partial<Pick<Segment, 'knowsSources'>>,
): Segment {
  return {
    from,
    until,
    generation,
    parts: parts.length,
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    firstAt: Math.min(...parts.map(part => part.first_at)),
    lastAt: Math.max(...parts.map(part => part.last_at)),
    lastArrival: Math.max(...parts.map(part => part.last_arrival)),
    eventIds,
    erased: generation,
    knowsSources: true,
    ...knows,
  }
}
