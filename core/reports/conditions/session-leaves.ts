import { type ChosenSet, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { hasIdsAsKeys, sessions } from '#core/lake/read/relations'
import { DURATION_MS } from '#core/lake/read/session-rule'
import type { SqlQuery } from '#core/ports'
import type { OwnSources } from '#core/reports/sources/name-sources'
import { sessionsWithSources } from '#core/reports/sources/session-sources'
import { textField } from '#core/reports/sql/filters'
import { join, sql, trustedSql } from '#core/sql/sql'
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

/** The columns that the leaves read of sessionsWithLeaves, where a leaf is one column. */
const SESSION_COLUMNS = {
  entry_page: sql`entry_page`,
  exit_page: sql`exit_page`,
  is_bounce: sql`is_bounce`,
  channel: sql`channel`,
  source: sql`source`,
  referrer_host: sql`referrer_host`,
} as const satisfies Partial<Record<SessionLeaf, SqlQuery>>

/** The sessions of the range with what the leaves read. Only the events know where a session came from. */
export function sessionsWithLeaves(
  read: LakeRead,
  leaves: readonly SessionLeaf[],
  own: OwnSources,
): SqlQuery {
  const reads = leaves.map(leaf => SESSION_LEAVES[leaf].reads)
  const fields = [...new Set(reads.flatMap(each => (each === 'source' ? [] : each)))]
  return reads.includes('source') ? sessionsWithSources(read, fields, own) : sessions(read, fields)
}

/** A field of a session by which reports group events. */
export type SessionColumn = keyof typeof SESSION_COLUMNS

/** The column that sessionSet adds to an event; null where its session does not start in the range. */
export function sessionColumn(field: SessionColumn): SqlQuery {
  return trustedSql(`session_${field}`)
}

/**
 * What joinSets adds to events: fields of their sessions, also of those that the condition of the read leaves
 * out. Nothing without fields.
 */
export function sessionSet(read: LakeRead, fields: readonly SessionColumn[], own: OwnSources): ChosenSet[] {
  if (fields.length === 0) return []
  const all = withoutWhere(read)
  const columns = fields.map(field => sql`${SESSION_COLUMNS[field]} AS ${sessionColumn(field)}`)
  return [
    {
      of: 'session',
      refs: hasIdsAsKeys(all) ? 'ids' : 'keys',
      flags: fields.map(sessionColumn),
      relation: sql`SELECT session_key AS set_ref, ${join(columns, ', ')} FROM ${sessionsWithLeaves(all, fields, own)} AS grouping_session`,
    },
  ]
}
