import type { SqlQuery } from '#core/ports'
import { bit, integer, join, sql, trustedSql } from '#core/sql/sql'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'

/**
 * What makes a session, once for reads and compaction: its user is that of its last event with a user, its
 * entry page the first page, its exit page the last one. Sessions are made from events, from rows of
 * segment_sessions and from parts of users (user-parts.ts): a source says where each of these has the values,
 * and a picker how an engine finds the first or last of them.
 */

/** The page of an event: its path, else its url; an empty text counts as absent (U35). */
export const PAGE = sql`coalesce(nullif(path, ''), nullif(url, ''))`

/**
 * 1 for an event that the visitor caused, else 0. The names are our own constants, so they are safe in the
 * text. As parameters they would only make it longer.
 */
export const INTERACTIVE = sql`CASE WHEN event IN (${join(
  NON_INTERACTIVE_EVENTS.map(event => trustedSql(`'${event}'`)),
  ', ',
)}) THEN 0 ELSE 1 END`

/** The duration of a session, ms. */
export const DURATION_MS = sql`date_diff('millisecond', start_at, end_at)`

/** 1 for a session without an interaction. `interactive`: its interactions. */
export function isBounce(interactive: SqlQuery): SqlQuery {
  return bit(sql`${interactive} = 0`)
}

/**
 * What the first event with a page says of where its session came from, as columns of an event. The rules of
 * channels read these alone (core/reports/sources/name-sources.ts), so they can judge the past again.
 */
export const ASKED_COLUMNS = [
  'referrer',
  'hostname',
  'click_id',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
] as const

type AskedColumn = (typeof ASKED_COLUMNS)[number]

/** The same columns of a session. */
export type EntryColumn = `entry_${AskedColumn}`
export const ENTRY_COLUMNS = ASKED_COLUMNS.map(toEntryColumn)

function toEntryColumn<Column extends AskedColumn>(column: Column): `entry_${Column}` {
  return `entry_${column}`
}

/**
 * A value that some pieces of a session have, and the order of these pieces: as that of the ids of events.
 */
export type Picked = { value: SqlQuery; time: SqlQuery; lag: SqlQuery; seq: SqlQuery }

/** The entry page, with a row of ASKED_COLUMNS. */
type PickedEntry = Picked & { asked: SqlQuery }

/** A value of the first or last piece that has `picked.value`. */
export type Picker = <P extends Picked>(
  end: 'first' | 'last',
  picked: P,
  wanted: keyof P & string,
) => SqlQuery

/** Where pieces of sessions have what makes them one. Counts are aggregates, the others values of a piece. */
export type SessionSource = {
  start: SqlQuery
  end: SqlQuery
  events: SqlQuery
  interactive: SqlQuery
  pageViews: SqlQuery
  user: Picked
  entry: PickedEntry
  exit: Picked
}

const bigintSum = (value: SqlQuery) => sql`CAST(sum(${value}) AS bigint)`
const ORDER = { time: sql`timestamp`, lag: sql`lag_s`, seq: sql`seq` }
/** Rows know neither the seq nor, where it is the start or the end of the session, the time. */
const NO_SEQ = sql`-1`
const ROLLED_UP = {
  start: sql`start_at`,
  end: sql`end_at`,
  events: bigintSum(sql`event_count`),
  interactive: bigintSum(sql`interactive_count`),
  pageViews: bigintSum(sql`page_view_count`),
}

/** A row of ASKED_COLUMNS. An empty text counts as absent (U133). */
function askedRow(ofColumn: (column: AskedColumn) => SqlQuery): SqlQuery {
  const types = join(
    ASKED_COLUMNS.map(column => trustedSql(`${column} varchar`)),
    ', ',
  )
  return sql`CAST(ROW(${join(ASKED_COLUMNS.map(ofColumn), ', ')}) AS ROW(${types}))`
}

const ASKED_OF_ENTRY = askedRow(column => trustedSql(toEntryColumn(column)))

export const SOURCES = {
  /** Events, with their `page`. */
  events: {
    start: ORDER.time,
    end: ORDER.time,
    events: sql`count(*)`,
    interactive: bigintSum(INTERACTIVE),
    pageViews: bigintSum(sql`CASE WHEN event = 'page_view' THEN 1 ELSE 0 END`),
    user: { ...ORDER, value: sql`user_key` },
    entry: {
      ...ORDER,
      value: sql`page`,
      asked: askedRow(column => sql`nullif(${trustedSql(column)}, '')`),
    },
    exit: { ...ORDER, value: sql`page` },
  },
  rows: {
    ...ROLLED_UP,
    user: {
      value: sql`user_key`,
      time: sql`coalesce(user_at, end_at)`,
      lag: sql`user_lag_s`,
      seq: NO_SEQ,
    },
    entry: {
      value: sql`entry_page`,
      time: sql`coalesce(entry_at, start_at)`,
      lag: sql`entry_lag_s`,
      seq: NO_SEQ,
      asked: ASKED_OF_ENTRY,
    },
    exit: { value: sql`exit_page`, time: sql`coalesce(exit_at, end_at)`, lag: sql`exit_lag_s`, seq: NO_SEQ },
  },
  parts: {
    ...ROLLED_UP,
    user: { value: sql`user_key`, time: sql`end_at`, lag: sql`last_lag_s`, seq: sql`last_seq` },
    entry: {
      ...{ value: sql`entry_page`, time: sql`entry_at`, lag: sql`entry_lag_s`, seq: sql`entry_seq` },
      asked: ASKED_OF_ENTRY,
    },
    exit: { value: sql`exit_page`, time: sql`exit_at`, lag: sql`exit_lag_s`, seq: sql`exit_seq` },
  },
} as const satisfies Record<string, SessionSource>

const PARTS: readonly (keyof Picked)[] = ['value', 'time', 'lag', 'seq']

/**
 * Picks in both engines. One aggregate has all parts of the piece, and a column takes one of them: with an
 * aggregate for each column DuckDB takes three times as long for the sessions of a million events. What the
 * rows need not have (`asked`) has an aggregate of its own.
 */
export const pickByRow: Picker = (end, picked, wanted) => {
  const order = sql`ROW(${picked.time}, ${picked.lag}, ${picked.seq})`
  const pick = (value: SqlQuery) =>
    sql`${BY[end]}(${value}, ${order}) FILTER (WHERE ${picked.value} IS NOT NULL)`
  const place = PARTS.indexOf(wanted as keyof Picked)
  if (place === -1) return pick(pickedValue(picked, wanted))
  const piece = join(
    PARTS.map(part => picked[part]),
    ', ',
  )
  return sql`(${pick(sql`ROW(${piece})`)})[${integer(place + 1)}]`
}

/** The expression of a value that is picked. */
export function pickedValue<P extends Picked>(picked: P, wanted: keyof P & string): SqlQuery {
  return picked[wanted] as SqlQuery
}

export const BY = { first: sql`min_by`, last: sql`max_by` }

/** The columns of segment_sessions of a session, from its pieces; times also where they are start or end. */
export function sessionColumns(source: SessionSource, pick: Picker) {
  const { user, entry, exit } = source
  return {
    user_key: pick('last', user, 'value'),
    user_at: pick('last', user, 'time'),
    user_lag_s: pick('last', user, 'lag'),
    ...sums(source),
    entry_page: pick('first', entry, 'value'),
    entry_at: pick('first', entry, 'time'),
    entry_lag_s: pick('first', entry, 'lag'),
    exit_page: pick('last', exit, 'value'),
    exit_at: pick('last', exit, 'time'),
    exit_lag_s: pick('last', exit, 'lag'),
    ...entryColumns(source, pick),
  }
}

/** What a user has of a session, from pieces of that user: the values of a part but its user_key. */
export function partColumns(source: SessionSource, pick: Picker) {
  const { user, entry, exit } = source
  return {
    last_lag_s: pick('last', user, 'lag'),
    last_seq: pick('last', user, 'seq'),
    ...sums(source),
    entry_page: pick('first', entry, 'value'),
    entry_at: pick('first', entry, 'time'),
    entry_lag_s: pick('first', entry, 'lag'),
    entry_seq: pick('first', entry, 'seq'),
    exit_page: pick('last', exit, 'value'),
    exit_at: pick('last', exit, 'time'),
    exit_lag_s: pick('last', exit, 'lag'),
    exit_seq: pick('last', exit, 'seq'),
    ...entryColumns(source, pick),
  }
}

/** The origin of an address: its path is no source, and would take many bytes. */
const ORIGIN = "'^[^/]*//[^/]*'"

function entryColumns({ entry }: SessionSource, pick: Picker): Record<EntryColumn, SqlQuery> {
  const asked = pick('first', entry, 'asked')
  const of = (column: AskedColumn) => sql`(${asked}).${trustedSql(column)}`
  return {
    entry_referrer: sql`nullif(regexp_extract(${of('referrer')}, ${trustedSql(ORIGIN)}), '')`,
    entry_hostname: of('hostname'),
    entry_click_id: of('click_id'),
    entry_utm_source: of('utm_source'),
    entry_utm_medium: of('utm_medium'),
    entry_utm_campaign: of('utm_campaign'),
    entry_utm_content: of('utm_content'),
  }
}

function sums({ start, end, events, interactive, pageViews }: SessionSource) {
  return {
    start_at: sql`min(${start})`,
    end_at: sql`max(${end})`,
    event_count: events,
    interactive_count: interactive,
    page_view_count: pageViews,
  }
}

/** A list of columns for SELECT. The names are our own constants. */
export function selectColumns(columns: Readonly<Record<string, SqlQuery>>): SqlQuery {
  return join(
    Object.entries(columns).map(([column, value]) => sql`${value} AS ${trustedSql(column)}`),
    ', ',
  )
}
