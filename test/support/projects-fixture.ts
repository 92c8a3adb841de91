import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Project } from '#core/projects/project'
import { createProjectStore, type ProjectStore } from '#core/projects/store'
import type { StateTable } from '#core/state-table'
import { createUsageStore } from '#core/usage/store'
import { openTestState, type TestState } from './test-state.ts'

export const account = { id: 'acc_1' }
export const other = { id: 'acc_2' }

/** What the tests of projects stand on: a state of their own, emptied before each, and the time in their hands. */
export type ProjectsFixture = {
  state: TestState
  now: number
  projects: ProjectStore
  /** The projects as another process sees them: each has its own cache of tokens. */
  processOn(table?: StateTable): ProjectStore
  /** A new project, a millisecond later than the last. */
  made(name: string, allowed_origins?: string, owner?: { id: string }): Promise<Project>
  /** The names of the account's list. */
  names(owner?: { id: string }): Promise<string[]>
}

/** Call it at the top of a test file: it registers its own hooks. */
export function projectsFixture(): ProjectsFixture {
  const world = {
    processOn(table: StateTable = world.state) {
      return createProjectStore({
        ...table,
        clock: { now: () => world.now },
        usage: createUsageStore(world.state),
      })
    },
    async made(name: string, allowed_origins?: string, owner = account) {
      world.now += 1
      return (await world.projects.create({ account: owner, name, allowed_origins })).project
    },
    async names(owner = account) {
      return (await world.projects.list(owner.id)).map(({ name }) => name)
    },
  } as ProjectsFixture

  beforeAll(async () => {
    world.state = await openTestState()
  })
  beforeEach(async () => {
    await world.state.empty()
    world.now = Date.parse('2026-11-21T10:00:00.000Z')
    world.projects = world.processOn()
  })
  afterAll(() => world.state.close())
  return world
}
