import type { Range } from '#core/time'
import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStore } from './store.ts'

/** Newest replays of a range whose sessions a list of sessions with a replay has (U141). */
export const MAX_LISTED_REPLAYS = 1_000

/** How many replays sessions have, by session id; a session without replays is missing. */
export type CountReplays = (
  projectId: string,
  sessionIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>

/** The sessions of the newest replays of a range; `since`: when the oldest of these began, Unix ms. */
export type RecordedSessions = { ids: string[]; since: number; hasMore: boolean }

/**
 * Finds the sessions of which a replay began in the range: those of the newest MAX_LISTED_REPLAYS of them.
 */
export type FindRecorded = (projectId: string, range: Range) => Promise<RecordedSessions>

/** What reports ask about the replays of sessions. */
export type ReplaysOfSessions = { countReplays: CountReplays; findRecorded: FindRecorded }

/** Nobody has replays. */
export const NO_REPLAYS: ReplaysOfSessions = {
  countReplays: async () => new Map(),
  findRecorded: async (_, { from }) => ({ ids: [], since: from, hasMore: false }),
}

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

/** Creates the function. A project that never had replay on costs no read of the table. */
export function createRecordedSessions({
  settings,
  replays,
}: {
  settings: Pick<ReplaySettingsStore, 'known'>
  replays: Pick<ReplayStore, 'sessionsOfRange'>
}): FindRecorded {
  return async (projectId, range) => {
    if ((await settings.known(projectId)) === null) return { ids: [], since: range.from, hasMore: false }
    const found = await replays.sessionsOfRange(projectId, range, MAX_LISTED_REPLAYS + 1)
    const newest = found.slice(0, MAX_LISTED_REPLAYS)
    return {
      ids: [...new Set(newest.map(({ session_id }) => session_id))],
      since: newest.at(-1)?.started_at ?? range.from,
      hasMore: found.length > newest.length,
    }
  }
}
