import type { Project } from '#core/projects/project'
import type { ReplayRemoval } from './remove.ts'
import type { Replay } from './replay.ts'
import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStore } from './store.ts'

export type PersonReplayServices = {
  settings: Pick<ReplaySettingsStore, 'known'>
  replays: Pick<ReplayStore, 'pages'>
  removal: Pick<ReplayRemoval, 'removeOfProject'>
}

const PAGE = 100

/** The replays of a person: those whose recorder has sent one of the person's ids. */
export function createPersonReplays({ settings, replays, removal }: PersonReplayServices) {
  async function count({ id }: Pick<Project, 'id'>, userIds: readonly string[]): Promise<number> {
    if ((await settings.known(id)) === null) return 0
    const isTheirs = isOfPerson(userIds)
    let found = 0
    for await (const page of replays.pages(id, PAGE)) found += page.filter(isTheirs).length
    return found
  }

  /** Deletes them. Throws UNAVAILABLE when there are more than a request can delete. */
  async function remove({ id }: Pick<Project, 'id'>, userIds: readonly string[]): Promise<void> {
    if ((await settings.known(id)) === null) return
    await removal.removeOfProject(id, isOfPerson(userIds))
  }

  return { count, remove }
}

export type PersonReplays = ReturnType<typeof createPersonReplays>

function isOfPerson(userIds: readonly string[]): (replay: Replay) => boolean {
  const ids = new Set(userIds)
  return ({ user_ids }) => user_ids.some(id => ids.has(id))
}
