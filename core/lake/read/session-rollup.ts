import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { join, name, sql } from '#core/sql/sql'
import { withoutErasedUsers } from './erased-events.ts'
import type { LakeRead } from './lake-read.ts'
import { segmentRows, splitRollups } from './segment-rows.ts'
import type { FragmentColumn } from './session-fragments.ts'
import { partValue } from './user-parts.ts'

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
  const list = join(columns.map(name), ', ')
  const withUser = columns.includes('user_key') ? list : sql`${list}, user_key`
  const ofOne = sql`${condition} AND user_parts IS NULL`
  const ofSeveral = sql`${condition} AND user_parts IS NOT NULL`
  return [
    ...segmentRows(read, 'segment_sessions', cleared, list, condition),
    ...segmentRows(read, 'segment_sessions', usable, withUser, ofOne).map(rows =>
      withoutErasedUsers(read, usable, rows, list),
    ),
    ...segmentRows(read, 'segment_sessions', usable, sql`date, session_key, user_parts`, ofSeveral).map(
      rows => rowsOfParts(read, usable, rows, columns),
    ),
  ]
}

/** Makes rows from the parts of users that are not erased. */
function rowsOfParts(
  read: LakeRead,
  segments: readonly Segment[],
  rows: SqlQuery,
  columns: readonly FragmentColumn[],
): SqlQuery {
  const values = [...new Set(['user_key' as const, ...columns.flatMap(column => COLUMNS[column].values)])]
  const parts = sql`SELECT date, session_key, ${join(
    values.map(value => sql`${partValue(value)} AS ${plain(value)}`),
    ', ',
  )} FROM (${rows}) AS shared_session CROSS JOIN UNNEST(split(user_parts, ',')) AS user_part(part)`
  const left = withoutErasedUsers(
    read,
    segments,
    parts,
    sql`date, session_key, ${join(values.map(plain), ', ')}`,
  )
  const list = columns.map(column => sql`${COLUMNS[column].ofParts} AS ${name(column)}`)
  return sql`SELECT ${join(list, ', ')} FROM (${left}) AS part_of_session GROUP BY date, session_key`
}

type Value = Parameters<typeof partValue>[0]

const BY_USER = ['user_key', 'end_at', 'last_lag_s', 'last_seq'] as const
const ofLastUser = (value: SqlQuery) =>
  sql`max_by(${value}, ROW(end_at, last_lag_s, last_seq)) FILTER (WHERE user_key IS NOT NULL)`
const BY_ENTRY = ['entry_page', 'entry_at', 'entry_lag_s', 'entry_seq'] as const
const ofFirstPage = (value: SqlQuery) =>
  sql`min_by(${value}, ROW(entry_at, entry_lag_s, entry_seq)) FILTER (WHERE entry_page IS NOT NULL)`
const BY_EXIT = ['exit_page', 'exit_at', 'exit_lag_s', 'exit_seq'] as const
const ofLastPage = (value: SqlQuery) =>
  sql`max_by(${value}, ROW(exit_at, exit_lag_s, exit_seq)) FILTER (WHERE exit_page IS NOT NULL)`

/** A column from the parts of a session, and the values of parts that it needs. */
const COLUMNS: Readonly<Record<FragmentColumn, { ofParts: SqlQuery; values: readonly Value[] }>> = {
  date: { ofParts: sql`date`, values: [] },
  session_key: { ofParts: sql`session_key`, values: [] },
  user_key: { ofParts: ofLastUser(sql`user_key`), values: BY_USER },
  user_at: { ofParts: ofLastUser(sql`end_at`), values: BY_USER },
  user_lag_s: { ofParts: ofLastUser(sql`last_lag_s`), values: BY_USER },
  start_at: { ofParts: sql`min(start_at)`, values: ['start_at'] },
  end_at: { ofParts: sql`max(end_at)`, values: ['end_at'] },
  event_count: { ofParts: sql`CAST(sum(event_count) AS bigint)`, values: ['event_count'] },
  interactive_count: {
    ofParts: sql`CAST(sum(interactive_count) AS bigint)`,
    values: ['interactive_count'],
  },
  entry_page: { ofParts: ofFirstPage(sql`entry_page`), values: BY_ENTRY },
  entry_at: { ofParts: ofFirstPage(sql`entry_at`), values: BY_ENTRY },
  entry_lag_s: { ofParts: ofFirstPage(sql`entry_lag_s`), values: BY_ENTRY },
  exit_page: { ofParts: ofLastPage(sql`exit_page`), values: BY_EXIT },
  exit_at: { ofParts: ofLastPage(sql`exit_at`), values: BY_EXIT },
  exit_lag_s: { ofParts: ofLastPage(sql`exit_lag_s`), values: BY_EXIT },
  // It may also have been split before.
  may_be_split: { ofParts: sql`CAST(1 AS bigint)`, values: [] },
}

/** Names that the code writes. */
function plain(text: Value): SqlQuery {
  return { text, params: [] }
}
