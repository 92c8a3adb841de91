import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { join, name, sql, timestamp } from '#core/sql/sql'
import { hasReplaced, notReplaced } from './hidden-events.ts'
import type { HotField } from './hot-events.ts'
import type { EventField, LakeRead } from './lake-read.ts'
import { visibleRows } from './segment-rows.ts'
import { userKeyOf } from './user-links.ts'

/**
 * The events of segments with from <= timestamp < to, without erased and replaced ones, as statements for
 * UNION ALL.
 */
export function segmentEvents(
  read: LakeRead,
  segments: readonly Segment[],
  fields: readonly EventField[],
): SqlQuery[] {
  const { from, to } = read
  const bounds = [
    // A bound that excludes no event is left out: then the timestamps need not be read.
    ...(segments.some(({ firstAt }) => firstAt < from) ? [sql` AND timestamp >= ${timestamp(from)}`] : []),
    ...(segments.some(({ lastAt }) => lastAt >= to) ? [sql` AND timestamp < ${timestamp(to)}`] : []),
    ...(hasReplaced(read, segments) ? [sql` AND ${notReplaced(read)}`] : []),
  ]
  return visibleRows(read, 'segment_events', segments, fields, join(bounds, ''))
}

const IDS = { user_key: 'user_id', session_key: 'session_id' } as const

/**
 * The same with the keys of users and sessions, which only hot files have. Hashing ids takes time, so it is
 * for few events. With `session_key` among the fields, events without a session are left out.
 */
export function keyedEvents(
  read: LakeRead,
  segments: readonly Segment[],
  fields: readonly (EventField | keyof typeof IDS)[],
): SqlQuery[] {
  const isKey = (field: HotField): field is keyof typeof IDS => field in IDS
  const stored = fields.map(field => (isKey(field) ? IDS[field] : field))
  const columns = fields.map(field =>
    isKey(field) ? sql`${userKeyOf(name(IDS[field]))} AS ${name(field)}` : name(field),
  )
  const condition = fields.includes('session_key') ? sql` WHERE session_id IS NOT NULL` : sql``
  return segmentEvents(read, segments, stored).map(
    rows => sql`SELECT ${join(columns, ', ')} FROM (${rows}) AS keyed_event${condition}`,
  )
}
