import { ApiError } from '#core/errors'
import { quoted } from '#core/text/clean-text'
import type { Annotation, ProjectContext } from '#schemas/contexts'

type Sent = ProjectContext['annotations'][number]

/**
 * The annotations of a PUT that belong into the list of the context: those that are no items of their own. A
 * client sends back what it has read, so an entry with an id, or one that says the same as an item, is that
 * item. An id without an item was deleted since, and stays deleted. Throws INVALID_BODY for an item that
 * says something else.
 */
export function listedAnnotations(sent: readonly Sent[], own: readonly Annotation[]): Sent[] {
  const byId = new Map(own.map(each => [each.id, each]))
  const contents = new Set(own.map(contentOf))
  return sent.filter(entry => {
    if (entry.id == null) return !contents.has(contentOf(entry))
    const item = byId.get(entry.id)
    if (item !== undefined && contentOf(item) !== contentOf(entry)) {
      throw new ApiError(
        'INVALID_BODY',
        `Field \`annotations\` changes ${quoted(entry.id)}, which is an item of its own. Remove it with DELETE /projects/{id}/annotations/{annotation}, and create another one.`,
      )
    }
    return false
  })
}

function contentOf({ occurred_at, title, note }: Sent): string {
  return JSON.stringify([occurred_at, title, note ?? null])
}
