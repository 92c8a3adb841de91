import { ApiError } from '#core/errors'
import { type ChosenSet, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { personTraits } from '#core/lake/read/person-traits'
import type { SqlQuery } from '#core/ports'
import type { FilterField } from '#core/reports/sql/filters'
import { jsonPath } from '#core/reports/sql/json-path'
import { jsonValue } from '#core/reports/sql/property-value'
import { bit, join, sql, trustedSql } from '#core/sql/sql'
import { traitKey } from '#schemas/property-names'

/**
 * The key of the trait that a field of a condition names (docs/api/conditions.md, U126); undefined for
 * another field. Throws INVALID_PROPERTY_KEY for one that no key has.
 */
export function traitOf(field: string): string | undefined {
  const key = traitKey(field)
  if (key === undefined && /^traits[.[]/.test(field)) throw new ApiError('INVALID_PROPERTY_KEY')
  return key
}

/** A trait that a flag is about: `test` compares its value. */
export type TraitFlag = { key: string; test: (value: FilterField) => SqlQuery; flag: SqlQuery }

/** Rows (set_ref, flags): one for each person with traits. `files`: the traits files of the project. */
export function peopleWithTraits(
  read: LakeRead,
  files: readonly string[],
  flags: readonly TraitFlag[],
): SqlQuery {
  const tests = flags.map(({ key, test, flag }, i) => {
    const { filterField } = jsonValue(ownerColumn(i), key)
    return sql`${bit(test(filterField))} AS ${flag}`
  })
  return ofPeople(read, files, flags, tests)
}

/** The values of traits as text, by the fields that name them, and the set whose join adds them to events. */
export type TraitColumns = { columns: ReadonlyMap<string, SqlQuery>; sets: ChosenSet[] }

/**
 * What the persons of events have of the traits that are among these fields (U154): null for an event without
 * a person, and for a person without the trait.
 */
export function traitColumns(read: LakeRead, fields: readonly string[]): TraitColumns {
  const named = fields
    .map((field, i) => ({ field, key: traitOf(field), column: trustedSql(`trait_value_${i}`) }))
    .filter((each): each is typeof each & { key: string } => each.key !== undefined)
  const files = read.traits?.files ?? []
  if (named.length === 0 || files.length === 0)
    return { columns: new Map(named.map(({ field }) => [field, sql`CAST(NULL AS varchar)`])), sets: [] }
  const values = named.map(({ key, column }, i) => sql`${jsonValue(ownerColumn(i), key).text} AS ${column}`)
  const relation = ofPeople(read, files, named, values)
  return {
    columns: new Map(named.map(({ field, column }) => [field, column])),
    sets: [{ of: 'person', refs: 'ids', flags: named.map(({ column }) => column), relation }],
  }
}

/**
 * Rows (set_ref, columns) of the people with traits. The columns are made of the ownerColumn of each trait.
 */
function ofPeople(
  read: LakeRead,
  files: readonly string[],
  traits: readonly { key: string }[],
  columns: readonly SqlQuery[],
): SqlQuery {
  const owners = traits.map(({ key }, i) => sql`${ownerOf(key)} AS ${ownerColumn(i)}`)
  return sql`SELECT user_id AS set_ref, ${join(columns, ', ')}
          FROM (SELECT user_id, ${join(owners, ', ')} FROM ${personTraits(withoutWhere(read), files)} AS person_traits) AS person_with_traits`
}

function ownerColumn(index: number): SqlQuery {
  return trustedSql(`traits_${index}`)
}

/** The JSON that has the key: what came with a credential comes first. */
function ownerOf(key: string): SqlQuery {
  const isTrusted = sql`json_extract(trusted_traits, ${jsonPath(key)}) IS NOT NULL`
  return sql`CASE WHEN ${isTrusted} THEN trusted_traits ELSE public_traits END`
}
