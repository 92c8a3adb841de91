import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredEvents } from '#core/lake/compactor'
import type { FirstEditionConverter } from '#core/lake/upgrade-lake'
import {
  activityOfEvents,
  countEventRows,
  countEventsOfHot,
  createEventRowsWithKeys,
  createSessionStarts,
  describeEvents,
  eventIdsOfEvents,
  selectHotWithKeys,
  selectNewestArrival,
  sessionsOfEvents,
} from './compaction-sql.ts'
import { countRows, type ScratchSettings, withScratchDatabase } from './scratch-database.ts'
import { type EventsDescription, toSegment, type WrittenPart, writeSegmentPart } from './segment-files.ts'
import { withSplit } from './split-sql.ts'
import { text } from './tables.ts'

/** Bytes of the files of the first edition from which on a segment is large (duckdb/segment-files.ts). */
const LARGE_BYTES = 4 * 1024 * 1024

type HotCount = StoredEvents & { bucket: number }

/** Converts the files of the first edition of the lake. Throws DamagedObject for a file that cannot be read. */
export function createFirstEditionConverter(settings: ScratchSettings): FirstEditionConverter {
  const { lake, memoryMb } = settings

  async function newestArrival(keys: readonly string[]): Promise<number> {
    return withScratchDatabase(settings, async database => {
      let newest = Number.NEGATIVE_INFINITY
      // One file at a time, because the disk may not have room for all of them.
      for (const key of keys) {
        const files = await database.fetch('segment_events', [key])
        const [row] = await database.rows(selectNewestArrival(files))
        newest = Math.max(newest, Number(row?.newest))
        await database.drop(files)
      }
      return newest
    })
  }

  const writeSegment: FirstEditionConverter['writeSegment'] = (bucket, planned, newest) =>
    withScratchDatabase(settings, async database => {
      const { from, until, bytes } = planned
      const segment = { from, until, generation: 0 }
      const layout = bytes >= LARGE_BYTES ? 'large' : 'small'
      const eventIds = eventIdsOfEvents(newest)
      const parts: WrittenPart[] = []
      const stored: StoredEvents[] = []
      let idCount = 0

      async function writePart(keys: readonly string[]): Promise<void> {
        const files = await database.fetch('segment_events', keys)
        await database.run(createEventRowsWithKeys(bucket, files))
        await database.drop(files)
        await database.run(createSessionStarts)
        const partIds = await countRows(database, eventIds)
        const [description] = (await database.rows(describeEvents)) as EventsDescription[]
        if (description === undefined) throw new Error(`The files ${keys.join(', ')} have no events`)
        // Either all parts of a segment have a file of event_ids, or none has one.
        const hasIds = partIds > 0 || planned.parts.length > 1
        const partBytes = await writeSegmentPart(
          { database, lake, memoryMb, layout },
          {
            bucket,
            segment,
            part: parts.length,
            events: 'true',
            sessions: withSplit(sessionsOfEvents(bucket), bucket, false),
            activity: activityOfEvents(bucket),
            eventIds: hasIds ? eventIds : null,
          },
        )
        idCount += partIds
        parts.push({ ...description, bytes: partBytes })
        const counts = (await database.rows(countEventRows)) as HotCount[]
        stored.push(...counts.map(({ project_id, day, events }) => ({ project_id, day, events })))
      }

      for (const keys of planned.parts) await writePart(keys)
      return { segment: toSegment(segment, parts, idCount, false), stored }
    })

  async function addEventKeys(key: string): Promise<HotCount[]> {
    return withScratchDatabase(settings, async database => {
      const files = await database.fetch('events_hot', [key])
      const path = join(database.folder, 'output.parquet')
      await database.run(
        `COPY (${selectHotWithKeys(files)}) TO ${text(path)} (FORMAT parquet, COMPRESSION snappy)`,
      )
      await lake.put(key, await readFile(path))
      return (await database.rows(countEventsOfHot(files))) as HotCount[]
    })
  }

  return { newestArrival, writeSegment, addEventKeys }
}
