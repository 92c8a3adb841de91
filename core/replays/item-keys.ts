import type { Project } from '#core/projects/project'
import type { ItemKey } from '#core/state/state-table'

/** The keys of the items of session replay. */

/** Settings and replays of a project. */
export function replayPartition(projectId: string): string {
  return `replays#${projectId}`
}

/** The partition that lists the projects with settings by account, and the item of one. */
export const REPLAY_PROJECTS = 'replayprojects'
export function replayListKey({ id, account_id }: Pick<Project, 'id' | 'account_id'>): ItemKey {
  return { pk: REPLAY_PROJECTS, sk: `${account_id}#${id}` }
}

/** The replays of a user in a project, one item each. */
export function replayUserPartition(projectId: string, userId: string): string {
  return `replayuser#${projectId}#${userId}`
}

/** How many bytes the replays of an account have. */
export function replayUsagePartition(accountId: string): string {
  return `replayusage#${accountId}`
}
