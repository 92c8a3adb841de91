import type { Now } from '#core/ports'
import { createAnnotations } from '#core/projects/annotations'
import { readProjectContext } from '#core/projects/contexts'
import { createSavedViews } from '#core/projects/saved-views'
import { createSegments } from '#core/projects/segments'
import type { StateTable } from '#core/state/state-table'
import type { JsonDataset } from '#schemas/exports'
import type { WrittenFile } from './export-writer.ts'

type ReadFile = (state: StateTable & { clock: Now }, projectId: string) => Promise<WrittenFile>

/**
 * The parts of an export that are no events, as JSON (docs/api/exports.md): what the people of a project have
 * made of its events. All throw UNAVAILABLE when the state cannot be reached.
 */
export const readJsonFile: Record<JsonDataset, ReadFile> = {
  /** The saved views and the segments. At most 100 of each, 1.2 MB. */
  async views(state, projectId) {
    const [saved_views, segments] = await Promise.all([
      createSavedViews(state).list(projectId),
      createSegments(state).list(projectId),
    ])
    // An etag is of this service alone.
    return jsonFile({ saved_views, segments: segments.map(({ etag: _, ...segment }) => segment) })
  },

  /** The context with all its annotations: 4.5 MB, as a body of 0.5 MB and 1,000 annotations of 4 KB are. */
  async context(state, projectId) {
    const annotations = createAnnotations(state)
    return jsonFile((await readProjectContext(state, annotations, projectId)).context)
  },
}

/** `rows` of the file: the entries of all lists. */
function jsonFile(content: Record<string, unknown>): WrittenFile {
  const rows = Object.values(content).reduce<number>((sum, list) => sum + (list as unknown[]).length, 0)
  return { rows, bytes: Buffer.from(`${JSON.stringify(content, null, 2)}\n`) }
}
