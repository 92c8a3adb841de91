import { createSlidingWindow } from '#core/limits/sliding-window'
import { NO_LIMIT, type Profile } from '#core/plans/profile'
import { rateLimited } from '#core/plans/rate-limited'
import type { Clock } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'

const HOUR_MS = 3_600_000

export type ReplayStarts = {
  /**
   * Counts the start of a new replay, of any address. Throws RATE_LIMITED with the reason of a full account,
   * because then a recorder ends its recording and does not try again.
   */
  count(project: Pick<Project, 'id'>): Promise<void>
}

/**
 * Bounds how many replays of a project begin in an hour. Each has items in the state for 30 days, also if no
 * chunk follows, and whoever starts them with the public token may have many addresses.
 */
export function createReplayStarts({
  profile: { project_replay_starts: limit },
  clock,
  ...state
}: StateTable & { clock: Clock; profile: Profile }): ReplayStarts {
  const window = createSlidingWindow({ ...state, clock }, { name: 'replay-starts', windowMs: HOUR_MS })
  return {
    async count({ id }) {
      if (limit === NO_LIMIT) return
      const admission = await window.take(id, limit)
      if (admission.isAdmitted) return
      throw rateLimited('replays of this project', admission, clock.now(), { reason: 'replay_quota' })
    },
  }
}
