import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { join, name, sql } from '#core/sql/sql'
import type { LakeRead } from './lake-read.ts'
import { raw, visible } from './raw.ts'
import { segmentRows, splitRollups, visibleRows } from './segment-rows.ts'
import type { FragmentColumn } from './session-fragments.ts'
import { pickByRow, SOURCES, selectColumns, sessionColumns } from './session-rule.ts'
import { PART_VALUES, partValue } from './user-parts.ts'

/**
 * The project's rows in the session rollups of segments, without what erased users have of them, as
 * statements for UNION ALL. It costs one join with the tombstones: a row of one user stays or goes, and one
 * of several users is made from the parts of those that stay. The segments of `rest` (splitRollups) are left
 * out: their rollups cannot tell.
 */
export function sessionRollup(
  read: LakeRead,
  segments: readonly Segment[],
  columns: readonly FragmentColumn[],
  condition: SqlQuery,
): SqlQuery[] {
  const { cleared, usable } = splitRollups(read, segments)
  const ofOne = sql`${condition} AND user_parts IS NULL`
  return [
    ...visibleRows(read, 'segment_sessions', cleared, columns, condition),
    ...visibleRows(read, 'segment_sessions', usable, columns, ofOne),
    ...(usable.length === 0 ? [] : [rowsOfParts(read, usable, columns, condition)]),
  ]
}

/** Makes rows from the parts of users that are not erased. */
function rowsOfParts(
  read: LakeRead,
  segments: readonly Segment[],
  columns: readonly FragmentColumn[],
  condition: SqlQuery,
): SqlQuery {
  const ofSeveral = sql`${condition} AND user_parts IS NOT NULL`
  const values = Object.fromEntries(PART_VALUES.map(value => [value, partValue(value)]))
  const from = raw`FROM (SELECT date, session_key, ${selectColumns(values)}
        FROM (SELECT date, session_key, user_parts ${segmentRows(read, 'segment_sessions', segments, ofSeveral)}) AS shared_session
        CROSS JOIN UNNEST(split(user_parts, ',')) AS user_part(part)) AS part_of_session`
  const left = visible(read, { from, persons: 'rollup', segments }, ['date', 'session_key', ...PART_VALUES])
  const list = columns.map(column => sql`${OF_PARTS[column]} AS ${name(column)}`)
  return sql`SELECT ${join(list, ', ')} FROM (${left}) AS visible_part GROUP BY date, session_key`
}

const OF_PARTS: Readonly<Record<FragmentColumn, SqlQuery>> = {
  ...sessionColumns(SOURCES.parts, pickByRow),
  date: sql`date`,
  session_key: sql`session_key`,
  // It may also have been split before.
  may_be_split: sql`CAST(1 AS bigint)`,
}
