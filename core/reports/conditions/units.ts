import type { Condition } from '#schemas/conditions'

/** What a passing event chooses: itself, its whole session, or its person. */
export type Unit = 'event' | 'session' | 'person'

/** The condition that is true for all events of a unit, if it is for one of them. */
export function ofUnit(condition: Condition, unit: Unit): Condition {
  if (unit === 'event' || isSameWithin(unit, condition)) return condition
  return unit === 'session' ? { session: condition } : { person: condition }
}

/**
 * Whether the condition is equal for all events of a session or person anyway, and false for events without
 * one. `not` is true for those.
 */
function isSameWithin(unit: 'session' | 'person', condition: Condition): boolean {
  if ('and' in condition) return condition.and.every(each => isSameWithin(unit, each))
  if ('or' in condition) return condition.or.every(each => isSameWithin(unit, each))
  return unit === 'person' ? 'person' in condition || 'did' in condition : 'session' in condition
}

/** Whether a leaf leaves out events without its field, though it asks for other values. */
export function hasNegativeLeaf(condition: Condition): boolean {
  if ('and' in condition) return condition.and.some(hasNegativeLeaf)
  if ('or' in condition) return condition.or.some(hasNegativeLeaf)
  if ('not' in condition) return hasNegativeLeaf(condition.not)
  if ('session' in condition) return hasNegativeLeaf(condition.session)
  if ('person' in condition) return hasNegativeLeaf(condition.person)
  if ('did' in condition) return condition.did.where !== undefined && hasNegativeLeaf(condition.did.where)
  return condition.op === 'neq' || condition.op === 'not_in'
}
