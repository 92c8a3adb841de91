import { openShareLinkRecords } from '#core/access/share-links'
import { createAnnotations } from '#core/projects/annotations'
import { changeContextTexts } from '#core/projects/contexts'
import type { Project } from '#core/projects/project'
import { openSavedViewRecords } from '#core/projects/saved-views'
import { createSegments } from '#core/projects/segments'
import type { StateTable } from '#core/state/state-table'
import { forgetInSegment } from './forget-in-segment.ts'
import { forgetInView } from './forget-in-view.ts'
import { type NamedIds, namedIds, nameWithoutIds, withoutIds } from './without-ids.ts'

export type OwnerTexts = ReturnType<typeof createOwnerTexts>

/**
 * What the owner of a project has written: saved views, segments, labels of share links, annotations and
 * contexts. They may name a person (docs/api/erasure.md).
 */
export function createOwnerTexts(state: StateTable) {
  const views = openSavedViewRecords(state)
  const segments = createSegments(state)
  const links = openShareLinkRecords(state)
  const annotations = createAnnotations(state)

  /**
   * Takes the ids of an erased person out of them. With `account_id` also out of the context of its
   * portfolio. Doing it twice changes nothing.
   */
  async function erase(
    { id, account_id }: Pick<Project, 'id'> & Partial<Pick<Project, 'account_id'>>,
    userIds: readonly string[],
  ): Promise<void> {
    const ids = namedIds(userIds)
    await views.changeAll(id, view => forgetInView(view, ids))
    await segments.changeAll(id, segment => forgetInSegment(segment, ids))
    await links.changeAll(id, link => changeTexts(link, ['label'], ids))
    await annotations.changeAll(id, each => changeTexts(each, ['title', 'note'], ids))
    const forget = (text: string) => withoutIds(text, ids)
    await changeContextTexts(state, id, forget)
    if (account_id !== undefined) await changeContextTexts(state, account_id, forget)
  }

  return { erase }
}

/** The same object if none of its texts names an id. */
function changeTexts<T extends object>(record: T, fields: readonly (keyof T)[], ids: NamedIds): T {
  const changed = fields.flatMap(field => {
    const text = record[field]
    if (typeof text !== 'string') return []
    const rest = nameWithoutIds(text, ids)
    return rest === text ? [] : [[field, rest] as const]
  })
  return changed.length === 0 ? record : { ...record, ...Object.fromEntries(changed) }
}
