import { forEachConcurrent } from '#core/async/concurrency'
import type { Project } from '#core/projects/project'
import type { ReplayRemoval } from './remove.ts'
import type { Replay } from './replay.ts'
import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStore } from './store.ts'

export type PersonReplayServices = {
  settings: Pick<ReplaySettingsStore, 'known'>
  replays: Pick<ReplayStore, 'ofUser'>
  removal: Pick<ReplayRemoval, 'removeEach'>
}

/** A person may have thousands of ids. */
const CONCURRENCY = 16

/** The replays of a person: those whose recorder has sent one of the person's ids. */
export function createPersonReplays({ settings, replays, removal }: PersonReplayServices) {
  async function find({ id }: Pick<Project, 'id'>, userIds: readonly string[]): Promise<Replay[]> {
    if ((await settings.known(id)) === null) return []
    const found = new Map<string, Replay>()
    await forEachConcurrent(userIds, CONCURRENCY, async userId => {
      for (const replay of await replays.ofUser(id, userId)) found.set(replay.id, replay)
    })
    return [...found.values()]
  }

  return { find, remove: removal.removeEach }
}
