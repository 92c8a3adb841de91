import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStore } from './store.ts'

/** How many replays sessions have, by session id; a session without replays is missing. */
export type CountReplays = (
  projectId: string,
  sessionIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>

/** Creates the function. A project that never had replay on costs no read of the table. */
export function createReplayCounts({
  settings,
  replays,
}: {
  settings: Pick<ReplaySettingsStore, 'known'>
  replays: Pick<ReplayStore, 'countOfSessions'>
}): CountReplays {
  return async (projectId, sessionIds) =>
    sessionIds.length === 0 || (await settings.known(projectId)) === null
      ? new Map()
      : replays.countOfSessions(projectId, sessionIds)
}
