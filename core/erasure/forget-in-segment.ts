import { changeLeaves, type Leaf } from '#schemas/conditions'
import { fieldOfKey, fieldOfTrait, prefixedKey, traitKey } from '#schemas/property-names'
import type { StoredSegment } from '#schemas/segments'
import { ERASED_TEXT, type NamedIds, nameWithoutIds, withoutIds } from './without-ids.ts'

/**
 * Removes the ids of an erased person from a segment. ERASED_TEXT replaces an id in the title, and in the
 * values, property keys and trait keys of conditions. No event has the id any more, so the segment selects
 * the same events as before. Returns null if the segment's name contains an id: the name cannot change, so
 * the segment must be deleted. Returns the same object if the segment contains no id.
 */
export function forgetInSegment(segment: StoredSegment, ids: NamedIds): StoredSegment | null {
  if (withoutIds(segment.name, ids) !== segment.name) return null
  const title = segment.title === null ? null : nameWithoutIds(segment.title, ids)
  const where = changeLeaves(segment.where, leaf => withoutIdsInLeaf(leaf, ids))
  const isSame = title === segment.title && JSON.stringify(where) === JSON.stringify(segment.where)
  return isSame ? segment : { ...segment, title, where }
}

function withoutIdsInLeaf(leaf: Leaf, ids: NamedIds): Leaf {
  const { field, value } = leaf
  const trait = traitKey(field)
  const [key, fieldOf] = trait === undefined ? [prefixedKey(field), fieldOfKey] : [trait, fieldOfTrait]
  const rest = key === undefined ? undefined : withoutIds(key, ids)
  const changed = {
    ...leaf,
    ...(rest !== undefined && rest !== key && { field: fieldOf(rest) }),
    ...(value !== undefined && { value: Array.isArray(value) ? value.map(forget) : forget(value) }),
  }
  return JSON.stringify(changed) === JSON.stringify(leaf) ? leaf : changed

  function forget(each: unknown): unknown {
    const text = typeof each === 'number' ? String(each) : each
    if (typeof text !== 'string') return each
    // Other fields have values such as `pro`, which may be the id of somebody, too.
    if (field === 'user_id') return ids.all.has(text) ? ERASED_TEXT : withoutIds(text, ids)
    const left = withoutIds(text, ids)
    return left === text ? each : left
  }
}
