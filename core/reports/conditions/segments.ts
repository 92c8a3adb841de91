import { ApiError } from '#core/errors'
import {
  type AskedCondition,
  type Condition,
  changeLeaves,
  faultOf,
  type Leaf,
  type SegmentName,
  segmentsIn,
} from '#schemas/conditions'

/** The part of a request that says what is counted. */
export type ConditionParams = {
  where?: AskedCondition | undefined
  filter?: readonly (Leaf | SegmentName)[] | undefined
}

/** Conditions by the names under which a project has stored them. */
export type SegmentsByName = Readonly<Record<string, Condition>>

/** The segments that a request names, each once. */
export function namedSegments(...requests: readonly (ConditionParams | undefined)[]): string[] {
  const names = requests.flatMap(request => askedBy(request ?? {}).flatMap(segmentsIn))
  return [...new Set(names)]
}

/**
 * What a request says by `where` and `filter`, both of which must hold, with the conditions of its segments
 * in the place of their names; null if it says nothing. Throws MISSING_FIELDS for a segment that the project
 * does not have, and for more than a condition may have (U78): what a segment has counts too.
 */
export function conditionOf(request: ConditionParams, segments: SegmentsByName = {}): Condition | null {
  const asked = askedBy(request)
  const all = asked.map(each => withSegments(each, segments))
  const fault = faultOf(...all)
  if (fault !== null) {
    const hint = asked.some(each => segmentsIn(each).length > 0) ? ' What its segments have counts too.' : ''
    throw new ApiError('MISSING_FIELDS', `${fault}${hint}`)
  }
  const [first] = all
  return first === undefined ? null : all.length === 1 ? first : { and: all }
}

function askedBy({ where, filter }: ConditionParams): AskedCondition[] {
  return [...(where === undefined ? [] : [where]), ...(filter ?? [])]
}

function withSegments(condition: AskedCondition, segments: SegmentsByName): Condition {
  return changeLeaves(condition, leaf => ('segment' in leaf ? segmentOf(leaf.segment, segments) : leaf))
}

function segmentOf(name: string, segments: SegmentsByName): Condition {
  const found = Object.hasOwn(segments, name) ? segments[name] : undefined
  if (found !== undefined) return found
  throw new ApiError(
    'MISSING_FIELDS',
    `The project has no segment \`${name}\`. GET /projects/{id}/segments lists its segments; PUT /projects/{id}/segments/${name} makes one.`,
  )
}
