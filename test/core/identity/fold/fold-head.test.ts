import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFoldHead } from '#core/identity/fold/fold-head'
import { createLevelStore } from '#core/identity/links/level-store'
import { createPublicLinks } from '#core/identity/links/public-links'
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

/** A lake with these shards, of which a test may take some away, and twenty projects. */
function setUp(shards: string[]) {
  const lake = createSimulatedLake()
  const queries: string[] = []
  const query: TestState['client']['query'] = async input => {
    queries.push(String(input.ExpressionAttributeValues?.[':pk']))
    return state.client.query(input)
  }
  const counted = { ...state, client: { ...state.client, query } } as TestState
  const clock = { time: 1_000_000, now: () => clock.time }
  const owned = Array.from({ length: 20 }, (_, i) =>
    testProject({ id: `proj_${i}`, name: `${i}`, bucket: i }),
  )
  const lakeState = {
    epoch: 1,
    lake: async () => ({ epoch: lakeState.epoch }) as never,
    shards: async () =>
      shards.map(shard => ({
        ...{ shard, highWater: null, epoch: lakeState.epoch, claim: null, claimedAt: null },
      })),
  }
  const identities = createIdentities({ state: counted, lake, owned, clock, lakeState })
  const cursors = async () => Object.keys((await createFoldHead(state).read()).cursors).toSorted()
  const nextEpoch = () => {
    lakeState.epoch++
    identities.lakeState.epoch++
  }
  const scope = () => identities.identity.scopeOf(owned[0] as (typeof owned)[number])
  return { ...identities, nextEpoch, lake, queries, cursors, shards, clock, scope }
}

const link = (previous_id: string, user_id: string) => ({ previous_id, user_id })

test('the position of the fold forgets shards that are retired, when no file of theirs is left', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`)
  const { write, fold, nextEpoch, lake, cursors, shards, finals, scope } = setUp([...names])
  for (const shard of names) await write('proj_0', [link(`anon ${shard}`, 'ada')], shard)
  await fold.run()
  shards.splice(0, 15)
  await fold.run()
  // Their files are folded, and not deleted yet.
  expect(await cursors()).toEqual(names)
  for (let i = 0; i < 3; i++) {
    nextEpoch()
    await fold.run()
  }
  expect(lake.keys('hot-identity/')).toEqual([])
  expect(await cursors()).toEqual(names.slice(15))
  // A retired shard comes again.
  await write('proj_0', [link('anon again', 'ada')], 's00')
  await fold.run()
  expect((await finals(await scope())).size).toBe(21)
})

test('what names the links files of a bucket forgets retired shards, and the bytes of their links still count', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`)
  const { write, fold, nextEpoch, lake, shards } = setUp([...names, 'new'])
  const levels = createLevelStore({ ...state, lake })
  const bytes = async () => {
    const { folded } = await levels.read(0)
    const known = new Set(shards)
    return createPublicLinks(state).read('proj_0', folded, async shard => !known.has(shard))
  }
  const isPublic = { hasCredential: false }
  for (const shard of names) await write('proj_0', [{ ...link(`anon_${shard}`, 'ada'), ...isPublic }], shard)
  await fold.run()
  const before = await bytes()
  expect(before).toBeGreaterThan(0)
  shards.splice(0, 18)
  for (let i = 0; i < 3; i++) {
    nextEpoch()
    await fold.run()
  }
  // With a credential, so the sum of the bytes does not change.
  await write('proj_0', [link('anon_x', 'eve')], 'new')
  await fold.run()
  expect(Object.keys((await levels.read(0)).folded).toSorted()).toEqual(['new', 's18', 's19'])
  expect(await bytes()).toBe(before)
})

test('the erasures of all projects that wait are listed once for a slice, however many projects it has', async () => {
  const { write, fold, queries } = setUp(['s0'])
  const listings = async (projects: number) => {
    for (let i = 0; i < projects; i++) await write(`proj_${i}`, [link(`anon ${projects} ${i}`, 'ada')])
    queries.length = 0
    await fold.run()
    return queries.filter(pk => pk === 'identity-work').length
  }
  const one = await listings(1)
  expect(await listings(20)).toBe(one)
})

test('an erasure that comes while a slice is folded counts as one that waits', async () => {
  const { write, fold, identity, clock, finals, scope } = setUp(['s0'])
  await write('proj_0', [link('anon 1', 'ada')])
  await fold.run()
  clock.time += 1_000
  await identity.removePerson(await scope(), ['ada', 'anon 1'])
  clock.time += 1
  await write('proj_0', [link('anon 1', 'eve')])
  await fold.run()
  await fold.run()
  expect(await finals(await scope())).toEqual(new Map([['anon 1', 'eve']]))
})
