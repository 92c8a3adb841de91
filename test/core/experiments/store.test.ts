import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createExperimentStore } from '#core/experiments/store'
import { testProject } from '#test/support/account-fixtures'
import { crashAfterWrites } from '#test/support/crashing-state'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
const project = testProject()
const request = {
  name: 'cta',
  goal_event: 'signup',
  variants: [
    { key: 'control', weight: 50 },
    { key: 'blue', weight: 50 },
  ],
}

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { now: () => now }
const open = (table: Pick<TestState, 'client' | 'table'> = state) =>
  createExperimentStore({ ...table, clock })

beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

test('of many requests with one name, one creates the experiment, and the others leave nothing', async () => {
  const experiments = open()
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => experiments.create(project, request)),
  )
  const failures = results.filter(result => result.status === 'rejected')
  expect(failures.map(({ reason }) => reason.code)).toEqual(Array(7).fill('EXPERIMENT_NAME_EXISTS'))
  const [created] = results.filter(result => result.status === 'fulfilled')
  expect(await experiments.list(project)).toEqual([created?.value])
  expect((await state.client.scan({ TableName: state.table })).Items).toHaveLength(2)
})

test('a name may be used again after the experiment was deleted, and in another project', async () => {
  const experiments = open()
  const first = await experiments.create(project, request)
  await experiments.create(testProject({ id: 'proj_2' }), request)
  await experiments.remove(first)
  const second = await experiments.create(project, request)
  expect(second.id).not.toBe(first.id)
  expect(await experiments.byId(first.id)).toBeNull()
  // A late second deletion of the first one does not touch the second one.
  await experiments.remove(first)
  expect(await experiments.byId(second.id)).toEqual(second)
})

test('a list has the newest experiments first, and those of one moment by name', async () => {
  const experiments = open()
  for (const name of ['b', 'a']) await experiments.create(project, { ...request, name })
  now += 1
  await experiments.create(project, { ...request, name: 'c' })
  expect((await experiments.list(project)).map(({ name }) => name)).toEqual(['c', 'a', 'b'])
})

test.each(['exp_', 'exp_0123456789abcdef', 'config', `exp_${'0'.repeat(5_000)}`, 'exp_ü', ''])(
  'the unknown id %j is not found',
  async id => {
    expect(await open().byId(id)).toBeNull()
  },
)

test('a change of the status holds only for the status that was read', async () => {
  const experiments = open()
  const created = await experiments.create(project, request)
  now += 1_000
  const updated_at = new Date(now).toISOString()
  const paused = { status: 'paused', winner: null, completed_at: null, updated_at } as const
  const changed = await experiments.changeStatus(created, paused)
  expect(changed).toEqual({ ...created, ...paused })
  expect(await experiments.byId(created.id)).toEqual(changed)
  expect(await experiments.changeStatus(created, paused)).toBeNull()
})

test('a creation that crashes after any write can be sent again', async () => {
  for (let writes = 0; writes < 2; writes++) {
    await state.empty()
    await expect(open(crashAfterWrites(state, writes)).create(project, request)).rejects.toThrow()
    const { id } = await open().create(project, request)
    expect((await open().byId(id))?.id).toBe(id)
  }
})

test('the item keys of a project are those of its experiments, without an id that leads to another project by now', async () => {
  const experiments = open()
  const demo = { ...request, id: 'exp_demo_signup_cta', createdAt: now - DAY_MS }
  await experiments.ensure(project, demo)
  await experiments.create(project, { ...request, name: 'other' })
  expect(await experiments.itemKeys(project.id)).toHaveLength(4)
  await experiments.ensure(testProject({ id: 'proj_2' }), demo)
  expect(await experiments.itemKeys(project.id)).toHaveLength(3)
  expect((await experiments.byId(demo.id))?.project_id).toBe('proj_2')
})
