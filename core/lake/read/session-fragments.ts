import type { SqlQuery } from '#core/ports'
import { integer, join, NOT_MATERIALIZED, sql, timestamp, trustedSql } from '#core/sql/sql'
import type { ColumnOf } from '#schemas/columns'
import { EVENT_LIMITS } from '#schemas/event'
import {
  ASKED_COLUMNS,
  BY,
  ENTRY_COLUMNS,
  type EntryColumn,
  isBounce,
  PAGE,
  type Picked,
  pickByRow,
  pickedValue,
  SOURCES,
  selectColumns,
  sessionColumns,
} from './session-rule.ts'

/**
 * A fragment of a session has the columns of segment_sessions (schemas/columns.ts). A report joins the
 * fragments of a session from all segments and hot files, in one of two ways:
 *
 * - `joinAllFragments` groups all of them in one scan: where scans are billed, and where nothing says which
 *   sessions may be split.
 * - `joinSplitFragments` scans them three times and groups only those of split sessions. Processor time of a
 *   report over 30 days with 4 million events, ms: /pages 160 instead of 480, /sessions 290 instead of 490,
 *   /sessions/distribution 110 instead of 180, /stats 340 instead of 390 (2026-11-23, DuckDB 1.5.5).
 */

/** One fragment a session from rows with a session_key, user_key and eventFields: (session_key, columns). */
export function sessionFragments(rows: SqlQuery, columns: readonly FragmentColumn[]): SqlQuery {
  const made = Object.entries(sessionColumns(SOURCES.events, pickByRow)).filter(isOneOfColumns(columns))
  return sql`SELECT session_key, ${selectColumns(Object.fromEntries(made))}
      FROM (SELECT *, ${PAGE} AS page FROM ${rows} AS session_event) AS page_event
      GROUP BY session_key`
}

function isOneOfColumns(columns: readonly FragmentColumn[]) {
  const names: ReadonlySet<string> = new Set(columns)
  return ([column]: [string, SqlQuery]) => names.has(column)
}

const EVENT_FIELDS = ['timestamp', 'lag_s', 'seq', 'event', 'path', 'url'] as const
const ENTRY_SET: ReadonlySet<string> = new Set(ENTRY_COLUMNS)

/** The fields of an event that make these columns of a fragment, beside the session and the user. */
export function eventFields(columns: readonly FragmentColumn[]) {
  const asked = columns.some(column => ENTRY_SET.has(column)) ? ASKED_COLUMNS : []
  return [...EVENT_FIELDS, ...asked]
}

/**
 * What reports can read of a session, beside its session_key. `user_at` is the timestamp of the event that
 * gave the session its user.
 */
export type SessionField =
  | 'user_key'
  | 'user_at'
  | 'start_at'
  | 'end_at'
  | 'event_count'
  | 'is_bounce'
  | 'entry_page'
  | 'exit_page'
  | SourceField

/**
 * What only segments of newer versions have in their rollups (`knowsSources` of core/lake/model/segment.ts).
 */
type SourceField = 'page_view_count' | EntryColumn

export function isSourceField(field: SessionField): field is SourceField {
  return field === 'page_view_count' || ENTRY_SET.has(field)
}

/** The columns of segment_sessions that reports read. */
export type FragmentColumn = Exclude<ColumnOf<'segment_sessions'>, 'project_id' | 'user_parts'>

/**
 * A field of a session that is one fragment, of one that is several, and the columns of fragments that both
 * read.
 */
type FieldSql = { ofOne: SqlQuery; ofSeveral: SqlQuery; columns: readonly FragmentColumn[] }

const { user, entry, exit } = SOURCES.rows
const OF_SEVERAL = sessionColumns(SOURCES.rows, pickByNumber)
const USER_AT = sql`CASE WHEN user_key IS NOT NULL THEN ${user.time} END`
const USER_COLUMNS = ['user_key', 'user_at', 'user_lag_s', 'end_at'] as const

const ENTRY_PAGE_COLUMNS = ['entry_page', 'entry_at', 'entry_lag_s', 'start_at'] as const
const ENTRY_FIELDS = Object.fromEntries(
  ENTRY_COLUMNS.map((column): [EntryColumn, FieldSql] => [
    column,
    {
      ofOne: trustedSql(column),
      ofSeveral: OF_SEVERAL[column],
      columns: [...ENTRY_PAGE_COLUMNS, ...ENTRY_COLUMNS],
    },
  ]),
) as Record<EntryColumn, FieldSql>

const FIELDS: Readonly<Record<SessionField, FieldSql>> = {
  user_key: { ofOne: user.value, ofSeveral: OF_SEVERAL.user_key, columns: USER_COLUMNS },
  user_at: { ofOne: USER_AT, ofSeveral: sql`max(${USER_AT})`, columns: USER_COLUMNS },
  start_at: { ofOne: sql`start_at`, ofSeveral: OF_SEVERAL.start_at, columns: ['start_at'] },
  end_at: { ofOne: sql`end_at`, ofSeveral: OF_SEVERAL.end_at, columns: ['end_at'] },
  event_count: { ofOne: sql`event_count`, ofSeveral: OF_SEVERAL.event_count, columns: ['event_count'] },
  is_bounce: {
    ofOne: isBounce(sql`interactive_count`),
    ofSeveral: isBounce(sql`max(interactive_count)`),
    columns: ['interactive_count'],
  },
  entry_page: {
    ofOne: entry.value,
    ofSeveral: OF_SEVERAL.entry_page,
    columns: ENTRY_PAGE_COLUMNS,
  },
  exit_page: {
    ofOne: exit.value,
    ofSeveral: OF_SEVERAL.exit_page,
    columns: ['exit_page', 'exit_at', 'exit_lag_s', 'end_at'],
  },
  page_view_count: {
    ofOne: sql`page_view_count`,
    ofSeveral: OF_SEVERAL.page_view_count,
    columns: ['page_view_count'],
  },
  ...ENTRY_FIELDS,
}

/** When sessions start, Unix ms: from <= start < to. Null: no fragment starts too late. */
export type Starts = { from: number; to: number | null }

/** The sessions of `starts`, from fragments that are whole sessions: (session_key, fields). */
export function sessionsOfOne(
  fragments: SqlQuery,
  fields: readonly SessionField[],
  starts: Starts,
): SqlQuery {
  return sql`SELECT ${selectFields(fields, 'ofOne')} FROM ${fragments} AS fragment WHERE ${isWithin(sql`start_at`, starts)}`
}

function isWithin(start: SqlQuery, { from, to }: Starts): SqlQuery {
  const isAfter = sql`${start} >= ${timestamp(from)}`
  return to === null ? isAfter : sql`${isAfter} AND ${start} < ${timestamp(to)}`
}

/** The columns of fragments that both joins read for the fields, beside session_key. */
export function fragmentColumns(fields: readonly SessionField[]): FragmentColumn[] {
  return [...new Set(['start_at' as const, ...fields.flatMap(field => FIELDS[field].columns)])]
}

/** Joins fragments to the sessions of `starts`: (session_key, fields), in one scan. */
export function joinAllFragments(
  fragments: SqlQuery,
  fields: readonly SessionField[],
  starts: Starts,
): SqlQuery {
  return sql`SELECT ${selectFields(fields, 'ofSeveral')} FROM ${fragments} AS fragment
      GROUP BY session_key HAVING ${isWithin(sql`min(start_at)`, starts)}`
}

/**
 * The same rows with three scans of fragments that have may_be_split. Nearly all sessions have one fragment,
 * which is the session, so only the fragments of split ones are grouped.
 */
export function joinSplitFragments(
  fragments: SqlQuery,
  fields: readonly SessionField[],
  starts: Starts,
): SqlQuery {
  return sql`WITH fragment AS ${NOT_MATERIALIZED} (SELECT * FROM ${fragments} AS each_fragment),
        split AS (SELECT session_key AS split_key FROM fragment
          WHERE coalesce(may_be_split, 1) = 1 GROUP BY session_key)
      SELECT ${selectFields(fields, 'ofOne')} FROM fragment
      LEFT JOIN split ON split_key = session_key
      WHERE split_key IS NULL AND ${isWithin(sql`start_at`, starts)}
      UNION ALL
      SELECT ${selectFields(fields, 'ofSeveral')} FROM fragment
      JOIN split ON split_key = session_key
      GROUP BY session_key HAVING ${isWithin(sql`min(start_at)`, starts)}`
}

function selectFields(fields: readonly SessionField[], form: 'ofOne' | 'ofSeveral'): SqlQuery {
  const columns = fields.map(field => sql`${FIELDS[field][form]} AS ${trustedSql(field)}`)
  return join([sql`session_key`, ...columns], ', ')
}

/**
 * Orders the fragments of a session by the event that gave the fragment a value: by its timestamp in ms since
 * 2020 (fits until 2089), then by its arrival in seconds; null for a fragment without the value. The order is
 * one number, because ordering by a row of three values takes twice as long. It cannot order two fragments
 * whose events have the same millisecond and arrived in the same second, but are in different segments.
 * Within a fragment the order is exact.
 */
function pickByNumber<P extends Picked>(
  end: 'first' | 'last',
  picked: P,
  wanted: keyof P & string,
): SqlQuery {
  return sql`${BY[end]}(${pickedValue(picked, wanted)}, CASE WHEN ${picked.value} IS NOT NULL THEN
          date_diff('millisecond', TIMESTAMP '2020-01-01 00:00:00.000', ${picked.time}) * 4194304
          + ${picked.lag} + ${integer(EVENT_LIMITS.futureMs / 1000)} END)`
}
