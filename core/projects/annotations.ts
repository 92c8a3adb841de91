import type { StateTable } from '#core/state-table'
import { type Annotation, MAX_ANNOTATIONS, type NewAnnotation } from '#schemas/contexts'
import { createSlots } from './slots.ts'

export const annotationsPartition = (projectId: string) => `annotations#${projectId}`

/** The places of annotations. */
export function openAnnotationSlots(state: StateTable) {
  return createSlots<Omit<Annotation, 'id'>>(state, {
    partitionOf: annotationsPartition,
    prefix: 'ann',
    max: MAX_ANNOTATIONS,
  })
}

/**
 * Annotations that are items of their own (U99): each is written and deleted alone, so writers at the same
 * time lose nothing of each other. At most 1,000 a project, each of at most 4 KB.
 */
export function createAnnotations(state: StateTable) {
  const items = openAnnotationSlots(state)

  /** In the order of their times. */
  async function list(projectId: string): Promise<Annotation[]> {
    const all = await items.list(projectId)
    return all.toSorted((a, b) => compare(a.occurred_at, b.occurred_at) || compare(a.id, b.id))
  }

  /** Returns null if the project has as many as it may have. */
  function create(
    projectId: string,
    { occurred_at, title, note }: NewAnnotation,
  ): Promise<Annotation | null> {
    return items.add(projectId, { occurred_at, title, ...(note != null && { note }) })
  }

  return { list, create, remove: items.remove }
}

export type Annotations = ReturnType<typeof createAnnotations>

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
