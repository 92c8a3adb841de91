import type { Now } from '#core/ports'
import { createSavedViews } from '#core/projects/saved-views'
import { createSegments } from '#core/projects/segments'
import type { StateTable } from '#core/state/state-table'
import type { WrittenFile } from './export-writer.ts'

export const VIEWS_NAME = 'views.json'

/**
 * The saved views and the segments of a project as JSON (docs/api/exports.md): what its people have made of
 * the events. At most 100 of each, 1.2 MB. Throws UNAVAILABLE when the state cannot be reached.
 */
export async function readViewsFile(
  state: StateTable & { clock: Now },
  projectId: string,
): Promise<WrittenFile> {
  const [saved_views, segments] = await Promise.all([
    createSavedViews(state).list(projectId),
    createSegments(state).list(projectId),
  ])
  // An etag is of this service alone.
  const content = { saved_views, segments: segments.map(({ etag: _, ...segment }) => segment) }
  const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  return { rows: saved_views.length + segments.length, bytes }
}
