import type { SqlQuery } from '#core/ports'
import { join, sql, trustedSql } from '#core/sql/sql'
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

/**
 * A value that some pieces of a session have, and the order of these pieces: as that of the ids of events.
 */
export type Picked = { value: SqlQuery; time: SqlQuery; lag: SqlQuery; seq: SqlQuery }

/** A value of the first or last piece that has `picked.value`. */
export type Picker = (end: 'first' | 'last', picked: Picked, wanted: keyof Picked) => SqlQuery

/** Where pieces of sessions have what makes them one. Counts are aggregates, the others values of a piece. */
export type SessionSource = {
  start: SqlQuery
  end: SqlQuery
  events: SqlQuery
  interactive: SqlQuery
  user: Picked
  entry: Picked
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
}

export const SOURCES = {
  /** Events, with their `page`. */
  events: {
    start: ORDER.time,
    end: ORDER.time,
    events: sql`count(*)`,
    interactive: bigintSum(INTERACTIVE),
    user: { ...ORDER, value: sql`user_key` },
    entry: { ...ORDER, value: sql`page` },
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
    },
    exit: { value: sql`exit_page`, time: sql`coalesce(exit_at, end_at)`, lag: sql`exit_lag_s`, seq: NO_SEQ },
  },
  parts: {
    ...ROLLED_UP,
    user: { value: sql`user_key`, time: sql`end_at`, lag: sql`last_lag_s`, seq: sql`last_seq` },
    entry: { value: sql`entry_page`, time: sql`entry_at`, lag: sql`entry_lag_s`, seq: sql`entry_seq` },
    exit: { value: sql`exit_page`, time: sql`exit_at`, lag: sql`exit_lag_s`, seq: sql`exit_seq` },
  },
} as const satisfies Record<string, SessionSource>

/** Picks in both engines. */
export const pickByRow: Picker = (end, { value, time, lag, seq }, wanted) =>
  sql`${BY[end]}(${{ value, time, lag, seq }[wanted]}, ROW(${time}, ${lag}, ${seq})) FILTER (WHERE ${value} IS NOT NULL)`

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
  }
}

function sums({ start, end, events, interactive }: SessionSource) {
  return {
    start_at: sql`min(${start})`,
    end_at: sql`max(${end})`,
    event_count: events,
    interactive_count: interactive,
  }
}

/** A list of columns for SELECT. The names are our own constants. */
export function selectColumns(columns: Readonly<Record<string, SqlQuery>>): SqlQuery {
  return join(
    Object.entries(columns).map(([column, value]) => sql`${value} AS ${trustedSql(column)}`),
    ', ',
  )
}
