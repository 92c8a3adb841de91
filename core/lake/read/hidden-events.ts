import { segmentsWithEventIds } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { join, sql } from '#core/sql/sql'
import { ARRIVAL } from './erased-events.ts'
import { replacedSql } from './hot-events.ts'
import type { LakeRead } from './lake-read.ts'

/**
 * Stored events that hot ones replace (core/lake/model/copies.ts) are hidden until the compaction of the hot
 * ones. Rollups count them, so reads of the segments that may have them read the events.
 */

type ReplacedRead = Pick<LakeRead, 'snapshot' | 'project' | 'replaced'>

/** Whether the segments may have replaced events of the project. */
export function hasReplaced({ snapshot, replaced }: ReplacedRead, segments: readonly Segment[]): boolean {
  if (replaced === undefined || replaced?.length === 0) return false
  const withIds = segmentsWithEventIds(snapshot)
  return segments.some(segment => withIds.includes(segment))
}

/** A condition on the events of segments. */
export function notReplaced(read: ReplacedRead): SqlQuery {
  const { replaced } = read
  const name = sql`concat(event_id, ' ', CAST(${ARRIVAL} AS varchar))`
  const names =
    replaced == null
      ? replacedSql(read)
      : join(
          replaced.map(each => sql`${each}`),
          ', ',
        )
  return sql`(event_id IS NULL OR ${name} NOT IN (${names}))`
}
