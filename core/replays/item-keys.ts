import type { ItemKey } from '#core/state-table'

/** The keys of the items of session replay. */

/** Settings and replays of a project. */
export function replayPartition(projectId: string): string {
  return `replays#${projectId}`
}

/** The partition that lists the projects with settings, and the item of one. */
export const REPLAY_PROJECTS = 'replayprojects'
export function replayListKey(projectId: string): ItemKey {
  return { pk: REPLAY_PROJECTS, sk: projectId }
}

/** How many bytes the replays of an account have. */
export function replayUsagePartition(accountId: string): string {
  return `replayusage#${accountId}`
}
