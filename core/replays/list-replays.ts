import { forEachConcurrent } from '#core/async/concurrency'
import { invalidCursor } from '#core/errors'
import type { Project } from '#core/projects/project'
import { isReplayId, type Replay } from './replay.ts'
import type { ReplayStore } from './store.ts'

export type ListOptions = {
  limit: number
  /** Only replays older than that of this id. */
  before: string | undefined
  session_id: string | undefined
}

const CONCURRENCY = 8

/**
 * The newest replays of some projects, in the order of their ids, which is that of time; `next`: the id after
 * which the next page begins, or null. An account may have any number of projects: each costs a small read,
 * because only what is newer than the page found so far is read. Throws MISSING_FIELDS for a cursor that is
 * not the id of a replay. Else a caller with a damaged cursor would read the first page for ever.
 */
export async function listReplays(
  replays: Pick<ReplayStore, 'pages' | 'ofSession'>,
  projects: readonly Pick<Project, 'id'>[],
  { limit, before, session_id }: ListOptions,
): Promise<{ replays: Replay[]; next: string | null }> {
  if (before !== undefined && !isReplayId(before)) throw invalidCursor()
  /** Newest first, at most one more than the limit, so that the reader knows whether there are more. */
  let newest: Replay[] = []
  await forEachConcurrent(projects, CONCURRENCY, async ({ id }) => {
    const found = await newestOf(id)
    newest = [...newest, ...found].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit + 1)
  })

  async function newestOf(projectId: string): Promise<Replay[]> {
    if (session_id !== undefined) {
      const all = await replays.ofSession(projectId, session_id)
      return all.filter(({ id }) => before === undefined || id < before)
    }
    const own: Replay[] = []
    for await (const page of replays.pages(projectId, limit, { before, after: newest[limit]?.id })) {
      own.push(...page)
      if (own.length > limit) break
    }
    return own.slice(0, limit + 1)
  }

  const listed = newest.slice(0, limit)
  return { replays: listed, next: newest.length > limit ? (listed.at(-1)?.id ?? null) : null }
}
