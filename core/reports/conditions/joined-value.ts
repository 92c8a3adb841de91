import type { ChosenSet, EventField, LakeRead } from '#core/lake/read/lake-read'
import type { SqlQuery } from '#core/ports'
import type { OwnSources } from '#core/reports/sources/name-sources'
import { namedValue } from '#core/reports/sql/named-value'
import { sql } from '#core/sql/sql'
import { type SessionColumn, sessionColumn, sessionColumns } from './session-leaves.ts'
import { traitColumns } from './trait-leaves.ts'

/** A value of an event as text: its fields, and what it reads of its session or person. */
export type JoinedValue = { fields: readonly EventField[]; text: SqlQuery; sets: readonly ChosenSet[] }

/**
 * Reads the value of a name by which a report groups events. A trait is of the person (U154). A name that
 * `ofSession` has is of the session (U107). All other names are of the event, as in other reports (U90).
 */
export function joinedValue(
  named: string,
  { read, own, ofSession }: { read: LakeRead; own: OwnSources; ofSession: readonly SessionColumn[] },
): JoinedValue {
  const { columns, sets } = traitColumns(read, [named])
  const trait = columns.get(named)
  if (trait !== undefined) return { fields: ['user_id'], text: trait, sets }
  const field = ofSession.find(each => each === named)
  if (field === undefined) return { ...namedValue(named), sets: [] }
  return { fields: ['session_id'], text: textOf(field), sets: sessionColumns(read, [field], own) }
}

function textOf(field: SessionColumn): SqlQuery {
  const column = sessionColumn(field)
  if (field !== 'is_bounce') return column
  return sql`CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
}
