import type { Segment } from '#core/lake/model/segment'
import type { SqlParam, SqlQuery } from '#core/ports'
import { inFiles, join, type OpenTable, type RawTable, sql, trustedSql } from '#core/sql/sql'
import type { ColumnName } from '#schemas/columns'
import { ARRIVAL_MS, batchesOf, ERASED_HASH, type ErasureRead, tombstonesOf } from './erased-events.ts'
import type { PartValue } from './user-parts.ts'

/**
 * Raw rows are those that files have: also the rows of erased persons. They have a type of their own, which
 * `sql` does not take, so no report can read them. `visible` is the only way from raw rows to rows that a
 * statement can use.
 */

const QUERY = Symbol('query')

/** A piece of SQL over raw rows. */
export type Raw = { readonly [QUERY]: SqlQuery }

/** The same as `sql`, with pieces over raw rows. */
export function raw(strings: TemplateStringsArray, ...values: (SqlParam | SqlQuery | Raw)[]): Raw {
  return { [QUERY]: sql(strings, ...values.map(value => (isRaw(value) ? value[QUERY] : value))) }
}

/** `inFiles` of a table with rows of persons. */
export function inRawFiles(table: RawTable, files: readonly string[], bucket?: number): Raw {
  return raw`${inFiles(table as unknown as OpenTable, files, bucket)}`
}

/**
 * How the rows of an erased person are known: by `key`, which tombstones have as `tombstone`, up to an
 * arrival. A rollup has no arrivals. So it is read only where all rows of the person are erased (erasedUntil
 * of core/lake/read/erased-events.ts).
 */
const PERSONS = {
  hotEvent: { key: sql`user_key`, tombstone: 'user_key', arrival: ARRIVAL_MS },
  storedEvent: { key: ERASED_HASH, tombstone: 'user_hash', arrival: ARRIVAL_MS },
  rollup: { key: sql`user_key`, tombstone: 'user_key', arrival: null },
  traits: { key: sql`user_key`, tombstone: 'user_key', arrival: sql`sent_at` },
} as const

/** Raw rows. `from`: what follows a list of columns. `segments`: those that have them; null for hot rows. */
export type RawRows = {
  from: Raw
  persons: keyof typeof PERSONS
  segments: readonly Segment[] | null
}

/** A column of raw rows, or of their parts. Events have no `date`, so it is computed from the timestamp. */
export type RawField = ColumnName | PartValue

/**
 * The fields of those raw rows that no erasure in force covers. It costs one join with the tombstones, and
 * nothing where there are none.
 */
export function visible(read: ErasureRead, rows: RawRows, fields: readonly RawField[]): SqlQuery {
  const { key, tombstone, arrival } = PERSONS[rows.persons]
  const columns = selectList(rows, fields)
  const batches = batchesOf(read, rows.segments)
  if (batches.length === 0) return raw`SELECT ${columns} ${rows.from}`[QUERY]
  const arrived = arrival === null ? sql`` : sql`, ${arrival} AS erased_arrival`
  const isLater = arrival === null ? sql`` : sql` OR erased_arrival > tombstone_until`
  return raw`SELECT ${columnNames(fields)} FROM (SELECT ${columns}, ${key} AS erased_key${arrived} ${rows.from}) AS each_row
      LEFT JOIN (${tombstonesOf(read, batches, tombstone)}) AS tombstone ON tombstone_key = erased_key
      WHERE tombstone_key IS NULL${isLater}`[QUERY]
}

/**
 * What hot and stored events have of event_ids, for the rule of copies (core/lake/model/copy-rule.ts): rows
 * of (copied_key, replaced). An erased event is still the first one of its copies.
 */
export function visibleKeys(rows: Raw): SqlQuery {
  return raw`SELECT copied_key, replaced FROM (${rows}) AS copied_keys`[QUERY]
}

function selectList({ persons }: RawRows, fields: readonly RawField[]): SqlQuery {
  const toColumn = (field: RawField) =>
    field === 'date' && persons !== 'rollup' ? sql`CAST(timestamp AS date) AS date` : plain(field)
  return join(fields.map(toColumn), ', ')
}

/** The names of the fields, for rows that `visible` has made. */
export function columnNames(fields: readonly RawField[]): SqlQuery {
  return join(fields.map(plain), ', ')
}

/** Names that the code writes. */
function plain(text: RawField): SqlQuery {
  return trustedSql(text)
}

function isRaw(value: SqlParam | SqlQuery | Raw): value is Raw {
  return typeof value === 'object' && value !== null && QUERY in value
}
