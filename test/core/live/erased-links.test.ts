import { afterAll, beforeAll, expect, test } from 'vitest'
import { createErasedUsers } from '#core/identity/erased-users'
import { createUserResolver } from '#core/identity/user-resolver'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { processLinks } from '#test/support/random-links'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 29, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('live reads show later events of an erased id under the id itself before the fold removes its link, and hide earlier ones by the ms', async () => {
  await state.empty()
  const links = [{ project_id: 'proj_a' as const, previous_id: 'anon_00000001', user_id: 'ada' }]
  const step = { size: 1, isRepeated: false, crashAt: null, isRead: false, hasTwoShards: false }
  const { project } = await processLinks(
    { links, steps: [{ ...step, closesEpoch: false }], isJoined: false, joinsAt: 0 },
    { state, lake: createSimulatedLake() },
  )
  const clock = { time: NOW, now: () => clock.time }
  const projects = { byId: async (id: string) => project(id), list: async () => [project('proj_a')] }
  const { resolveUsers } = createUserResolver({ ...state, projects, clock, bufferMs: 300_000 })
  const sent = [-1, 0, 1].map(ms => ({ user_id: 'anon_00000001', received_at: NOW + ms, ms }))
  const usersOf = async () => (await resolveUsers('proj_a', sent)).map(({ user_id, ms }) => [user_id, ms])
  expect(await usersOf()).toEqual([-1, 0, 1].map(ms => ['ada', ms]))
  await createErasedUsers(state).note('proj_a', ['anon_00000001', 'ada'], NOW)
  // The list of erasures is read once a second.
  clock.time += 1_000
  expect(await usersOf()).toEqual([['anon_00000001', 1]])
})
