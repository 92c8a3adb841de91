import type { AskedCondition } from '#schemas/conditions'
import { type Answer, type Call, call } from './api.ts'
import { conditionOf } from './question.ts'
import { slugOf } from './slug.ts'
import type { Address, Filter } from './url.ts'

/** Conditions that the project keeps under a name, so that agents and scripts ask with them too. */

export type Segment = Answer<'GET /projects/{id}/segments'>['segments'][number]

/** The filter that a segment is. */
export function filterOfSegment(name: string): Filter {
  return { field: 'segment', op: 'eq', value: name }
}

/** The name of the segment that an address asks for; undefined without one. */
export function openSegment({ filters }: Pick<Address, 'filters'>): string | undefined {
  return filters.find(({ field, op }) => field === 'segment' && op === 'eq')?.value
}

/** The same address with another segment in the place of the one that it asks for, or with none. */
export function withSegment(address: Address, name: string | null): Address {
  const others = address.filters.filter(({ field, op }) => field !== 'segment' || op !== 'eq')
  return { ...address, filters: name === null ? others : [...others, filterOfSegment(name)] }
}

/**
 * What the filters of an address choose, as a segment has it: a segment names no other one, so the condition
 * of a segment stands in the place of its name. Undefined without filters, or where a named segment is not
 * known.
 */
export function conditionToStore(
  address: Pick<Address, 'area' | 'filters'>,
  segments: readonly Segment[],
): AskedCondition | undefined {
  const conditions = new Map(segments.map(({ name, where }) => [name, where as AskedCondition]))
  const isKnown = address.filters.every(({ field, value }) => field !== 'segment' || conditions.has(value))
  return isKnown ? conditionOf(address, name => conditions.get(name) ?? { segment: name }) : undefined
}

const MAX_NAME = 64

/** A name for a new segment: that of its title, with a number where another segment has it. */
export function nameFor(title: string, segments: readonly Pick<Segment, 'name'>[]): string {
  const base = slugOf(title) || 'segment'
  const isFree = (name: string) => segments.every(each => each.name !== name)
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const name = `${base.slice(0, MAX_NAME - end.length)}${end}`
    if (isFree(name)) return name
  }
}

/** Stores a new segment of a project. */
export function storeSegment(
  project: string,
  { name, title, where }: { name: string; title: string; where: AskedCondition },
): Call<Answer<'PUT /projects/{id}/segments/{name}'>> {
  return call('PUT /projects/{id}/segments/{name}', { title, where }, { id: project, name })
}

/** The path whose answers a change of a segment makes old. */
export function segmentsPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}/segments`
}
