import { type ChosenSet, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { hasIdsAsKeys, sessions } from '#core/lake/read/relations'
import { DURATION_MS } from '#core/lake/read/session-rule'
import type { SqlQuery } from '#core/ports'
import type { OwnSources } from '#core/reports/sources/name-sources'
import { sessionsWithSources } from '#core/reports/sources/session-sources'
import { textField } from '#core/reports/sql/filters'
import { bit, join, sql, trustedSql } from '#core/sql/sql'
import { numberField } from './parse-filter.ts'

/** Fields of a session that conditions name: what each reads of one, and how it is compared. */
export const SESSION_LEAVES = {
  entry_page: { reads: ['entry_page'], filterField: textField(sql`entry_page`) },
  exit_page: { reads: ['exit_page'], filterField: textField(sql`exit_page`) },
  /** true or false. */
  is_bounce: { reads: ['is_bounce'], filterField: numberField(sql`is_bounce`) },
  /** ms. */
  duration: { reads: ['start_at', 'end_at'], filterField: numberField(DURATION_MS) },
  channel: { reads: 'source', filterField: textField(sql`channel`) },
  source: { reads: 'source', filterField: textField(sql`source`) },
  referrer_host: { reads: 'source', filterField: textField(sql`referrer_host`) },
} as const

export type SessionLeaf = keyof typeof SESSION_LEAVES

/** The field of a person: true or false. */
export const IS_NEW = 'is_new'

export function isSessionLeaf(field: string): field is SessionLeaf {
  return Object.hasOwn(SESSION_LEAVES, field)
}

/** The sessions of the range with what the leaves read. Only the events know where a session came from. */
function sessionsWithLeaves(read: LakeRead, leaves: readonly SessionLeaf[], own: OwnSources): SqlQuery {
  const reads = leaves.map(leaf => SESSION_LEAVES[leaf].reads)
  const fields = [...new Set(reads.flatMap(each => (each === 'source' ? [] : each)))]
  return reads.includes('source') ? sessionsWithSources(read, fields, own) : sessions(read, fields)
}

/** A flag that is about a field of a session. `test` compares the field. */
export type SessionFlag = { field: SessionLeaf; test: SqlQuery; flag: SqlQuery }

/** The sessions that start in the range, also those that the condition of the read leaves out, with flags. */
export function sessionSet(read: LakeRead, flags: readonly SessionFlag[], own: OwnSources): ChosenSet {
  const columns = flags.map(({ field, test, flag }) => ({ field, value: bit(test), name: flag }))
  return setOfSessions(read, columns, own)
}

/** A field of a session by which reports group events. */
export type SessionColumn = Exclude<SessionLeaf, 'duration'>

/** The column that sessionColumns adds to an event; null where its session does not start in the range. */
export function sessionColumn(field: SessionColumn): SqlQuery {
  return trustedSql(`session_${field}`)
}

/** What joinSets adds to events: fields of their sessions. Nothing without fields. */
export function sessionColumns(
  read: LakeRead,
  fields: readonly SessionColumn[],
  own: OwnSources,
): ChosenSet[] {
  const columns = fields.map(field => ({ field, value: trustedSql(field), name: sessionColumn(field) }))
  return fields.length === 0 ? [] : [setOfSessions(read, columns, own)]
}

function setOfSessions(
  read: LakeRead,
  columns: readonly { field: SessionLeaf; value: SqlQuery; name: SqlQuery }[],
  own: OwnSources,
): ChosenSet {
  const all = withoutWhere(read)
  const leaves = columns.map(({ field }) => field)
  const values = columns.map(({ value, name }) => sql`${value} AS ${name}`)
  return {
    of: 'session',
    refs: hasIdsAsKeys(all) ? 'ids' : 'keys',
    flags: columns.map(({ name }) => name),
    relation: sql`SELECT session_key AS set_ref, ${join(values, ', ')} FROM ${sessionsWithLeaves(all, leaves, own)} AS leaf_session`,
  }
}
