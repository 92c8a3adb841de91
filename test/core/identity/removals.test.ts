import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createErasedUsers } from '#core/identity/erased-users'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { createIdentities } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const PERSONS = 120
/** A rewrite of all links takes so long, ms. */
const REWRITE_MS = 2_000

/** A project with links of many persons, in a lake that takes long to write a links file. */
async function setUp() {
  const lake = createSimulatedLake()
  const clock = { time: 1_000_000, now: () => clock.time }
  const written: string[] = []
  const slowLake = {
    ...lake,
    async put(key: string, bytes: Uint8Array) {
      await lake.put(key, bytes)
      if (!key.startsWith('links/bucket=')) return
      written.push(key)
      clock.time += REWRITE_MS
    },
  }
  const project = testProject({ id: 'proj_1', name: 'one' })
  const removed: string[] = []
  const identities = createIdentities({
    ...{ state, lake: slowLake, clock, owned: [project] },
    onRemoved: async id => void removed.push(id),
  })
  const { add, identity } = identities
  const links = Array.from({ length: PERSONS + 1 }, (_, i) => ({
    previous_id: `anon_${i}`,
    user_id: `u${i}`,
  }))
  await add(
    'proj_1',
    links.map(link => ({ ...link, at: 5 })),
  )
  const scope = await identity.scopeOf(project)
  written.length = 0
  const erase = (i: number) => identity.removePerson(scope, [`u${i}`, `anon_${i}`], { id: `era_${i}` })
  return { ...identities, clock, written, removed, scope, erase }
}

test('with an erasure every second, links files are written anew in a tenth of the time, and pointers go at once', async () => {
  const { identity, fold, finals, clock, written, removed, scope, erase } = await setUp()
  const startedAt = clock.time
  for (let i = 0; i < PERSONS; i++) {
    clock.time += 1_000
    await erase(i)
    await fold.run()
    expect(await identity.finalId(scope, `anon_${i}`)).toBe(`anon_${i}`)
  }
  expect(written.length).toBeGreaterThan(1)
  expect(written.length).toBeLessThanOrEqual(1 + (clock.time - startedAt) / (11 * REWRITE_MS))
  clock.time += 11 * REWRITE_MS
  await fold.run()
  expect(removed).toHaveLength(PERSONS)
  expect([...(await finals(scope))]).toEqual([[`anon_${PERSONS}`, `u${PERSONS}`]])
})

test('a new link of an erased id does not wait for the pause, so the id has one row', async () => {
  const { add, finals, identity, fold, clock, scope, erase } = await setUp()
  await erase(0)
  await fold.run()
  clock.time += 1_000
  await erase(1)
  await fold.run()
  expect((await finals(scope)).get('anon_1')).toBe('u1')
  clock.time += 1_000
  await add('proj_1', [{ previous_id: 'anon_1', user_id: 'somebody', at: clock.time }])
  expect((await finals(scope)).get('anon_1')).toBe('somebody')
  expect(await identity.finalId(scope, 'anon_1')).toBe('somebody')
})

describe('the erasures of a day of 10,000', () => {
  const DAY_MS = 86_400_000
  /** A tenth of them, at a tenth of the pace. */
  const COUNT = 1_000
  const now = 2 * DAY_MS

  async function noteAll() {
    const erased = createErasedUsers(state)
    for (let i = 0; i < COUNT; i++)
      await erased.note('proj_1', [`u${i}`], now - DAY_MS + (i * DAY_MS) / COUNT, [`u${i}`])
    let items = 0
    const client = new Proxy(state.client, {
      get(target, name) {
        const value = target[name as 'query']
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
        return async (input: Parameters<typeof value>[0]) => {
          const page = await target.query(input as never)
          items += page.Items?.length ?? 0
          return page
        }
      },
    })
    return { counted: createErasedUsers({ ...state, client }), countItems: () => items }
  }

  test('cost a fold of requests of the last hour those of this hour alone', async () => {
    const { counted, countItems } = await noteAll()
    const { untilOf } = await counted.read('proj_1', now - 3_600_000, ['u999', 'u1'])
    expect([untilOf('u999') > 0, untilOf('u1')]).toEqual([true, -1])
    expect(countItems()).toBeLessThanOrEqual(COUNT / 24 + 1)
  })

  test('are found one by one for a request that comes again after a month', async () => {
    const { counted, countItems } = await noteAll()
    const { untilOf } = await counted.read('proj_1', 0, ['u1', 'somebody'])
    expect([untilOf('u1') > 0, untilOf('u2'), untilOf('somebody')]).toEqual([true, -1, -1])
    expect(countItems()).toBe(COUNT)
  })
})
