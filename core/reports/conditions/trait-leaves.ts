import { ApiError } from '#core/errors'
import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
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
  const columns = flags.map(({ key }, i) => sql`${ownerOf(key)} AS ${trustedSql(`traits_${i}`)}`)
  const tests = flags.map(({ key, test, flag }, i) => {
    const { filterField } = jsonValue(trustedSql(`traits_${i}`), key)
    return sql`${bit(test(filterField))} AS ${flag}`
  })
  return sql`SELECT user_id AS set_ref, ${join(tests, ', ')}
          FROM (SELECT user_id, ${join(columns, ', ')} FROM ${personTraits(withoutWhere(read), files)} AS person_traits) AS flagged_person`
}

/** The JSON that has the key: what came with a credential comes first. */
function ownerOf(key: string): SqlQuery {
  const isTrusted = sql`json_extract(trusted_traits, ${jsonPath(key)}) IS NOT NULL`
  return sql`CASE WHEN ${isTrusted} THEN trusted_traits ELSE public_traits END`
}
