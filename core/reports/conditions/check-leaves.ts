import { ApiError } from '#core/errors'
import { createZone } from '#core/reports/run/zone'
import type { Condition, Leaf } from '#schemas/conditions'
import { parseFilter, parseValue, UnknownFieldError } from './parse-filter.ts'
import { IS_NEW, isSessionLeaf } from './session-leaves.ts'
import { traitOf } from './trait-leaves.ts'

/**
 * Checks the fields and the values of a condition that is stored and used later. Throws INVALID_FILTER_FIELD,
 * INVALID_PROPERTY_KEY or MISSING_FIELDS, as a read with the condition would.
 */
export function checkLeaves(condition: Condition): void {
  const time = { ...createZone('UTC'), range: { from: 0, to: 0 } }
  for (const { leaf, place } of leavesIn(condition, 'where'))
    orRefused(() =>
      isJoined(leaf.field)
        ? parseValue(leaf.value, leaf.op, place, leaf.field)
        : parseFilter(leaf, place, time),
    )
}

/** Whether a field is of the session or person of an event. Throws INVALID_PROPERTY_KEY as traitOf does. */
export function isJoined(field: string): boolean {
  return field === IS_NEW || isSessionLeaf(field) || traitOf(field) !== undefined
}

/** Whether anything of a condition is about traits. */
export function hasTraitLeaf(condition: Condition): boolean {
  return leavesIn(condition, 'where').some(({ leaf }) => traitOf(leaf.field) !== undefined)
}

/** The leaves, with where each stands. */
export function leavesIn(condition: Condition, place: string): { leaf: Leaf; place: string }[] {
  if ('and' in condition) return leavesOfAll(condition.and, `${place}.and`)
  if ('or' in condition) return leavesOfAll(condition.or, `${place}.or`)
  if ('not' in condition) return leavesIn(condition.not, `${place}.not`)
  if ('session' in condition) return leavesIn(condition.session, `${place}.session`)
  if ('person' in condition) return leavesIn(condition.person, `${place}.person`)
  if (!('did' in condition)) return [{ leaf: condition, place }]
  return condition.did.where === undefined ? [] : leavesIn(condition.did.where, `${place}.did.where`)
}

function leavesOfAll(conditions: readonly Condition[], place: string) {
  return conditions.flatMap((each, i) => leavesIn(each, `${place}[${i}]`))
}

/** The errors of a filter as those of a condition, which may be in a query string: then no body is wrong. */
export function orRefused<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_BODY')
      throw new ApiError('MISSING_FIELDS', error.message)
    if (!(error instanceof UnknownFieldError)) throw error
    const { message, suggestedField } = error
    throw new ApiError('INVALID_FILTER_FIELD', message, { fields: { suggested_field: suggestedField } })
  }
}
