import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Project } from '#core/projects/project'
import { createProjectStore, type ProjectStore } from '#core/projects/store'
import { createScanStore } from '#core/scans/scan-store'
import type { StateTable } from '#core/state/state-table'
import { createUsageStore } from '#core/usage/store'
import { systemClock } from '#providers/system-clock'
import { openTestState, type TestState } from './test-state.ts'

export const account = { id: 'acc_1' }
export const other = { id: 'acc_2' }

/** Matches an ApiError of the code. */
export const fails = (code: string) => expect.objectContaining({ name: 'ApiError', code })

/** A state table that is emptied before each test, a clock that tests set, and a project store on both. */
export type ProjectsFixture = {
  state: TestState
  now: number
  projects: ProjectStore
  /** Creates the project store of another process, with its own cache of tokens. */
  processOn(table?: StateTable): ProjectStore
  /** Creates a project, a millisecond later than the last. */
  createProject(name: string, allowed_origins?: string, owner?: { id: string }): Promise<Project>
  /** Returns the names of the account's projects. */
  names(owner?: { id: string }): Promise<string[]>
}

/** Call it at the top of a test file: it registers its own hooks. */
export function projectsFixture(): ProjectsFixture {
  const fixture = {
    processOn(table: StateTable = fixture.state) {
      const services = { ...table, clock: { ...systemClock, now: () => fixture.now } }
      return createProjectStore({
        ...services,
        usage: createUsageStore(fixture.state),
        scans: createScanStore(services),
      })
    },
    async createProject(name: string, allowed_origins?: string, owner = account) {
      fixture.now += 1
      return (await fixture.projects.create({ account: owner, name, allowed_origins })).project
    },
    async names(owner = account) {
      return (await fixture.projects.list(owner.id)).map(({ name }) => name)
    },
  } as ProjectsFixture

  beforeAll(async () => {
    fixture.state = await openTestState()
  })
  beforeEach(async () => {
    await fixture.state.empty()
    fixture.now = Date.parse('2026-11-21T10:00:00.000Z')
    fixture.projects = fixture.processOn()
  })
  afterAll(() => fixture.state.close())
  return fixture
}
