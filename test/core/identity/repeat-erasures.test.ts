import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createErasedUsers } from '#core/identity/erased-users'
import { createErasureRepeat } from '#core/identity/repeat-erasures'
import { encodeTombstones, toTombstoneRows } from '#core/lake/erase/tombstone-file'
import { userHash } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/model/keys'
import { emptyManifest, type Manifest } from '#core/lake/model/manifest'
import { createLakeStateStore } from '#core/lake/model/state-store'
import { restoreLake } from '#core/lake/restore/restore-lake'
import { scanPages } from '#core/state/query-all'
import { writeItems } from '#core/state/write-items'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { createIdentities } from '#test/support/identity-files'
import { noMending } from '#test/support/no-receipts'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const BUCKET = 17
const UNTIL = 500
const TRAITS = { traits: { plan: 'pro' } }

/**
 * Two projects with persons ada (two ids) and bob, and a lake whose newest manifest has an erasure of ada in
 * the first project, which the state does not know: it is that of an earlier moment.
 */
async function setUp() {
  const lake = createSimulatedLake()
  const clock = { now: () => 1_000 }
  const owned = [testProject({ bucket: BUCKET }), testProject({ id: 'proj_2', name: 'two', bucket: BUCKET })]
  const identities = createIdentities({ state, lake, clock, owned })
  const { add, services, fold } = identities
  for (const { id } of owned) {
    await add(id, [
      { previous_id: 'anon_ada', user_id: 'ada', at: 5, email_hash: 'a1', ...TRAITS },
      { user_id: 'bob', at: 6, email_hash: 'b1', ...TRAITS },
    ])
  }
  const lakeState = createLakeStateStore(state, { lake, clock })
  await lakeState.saveManifest({ ...emptyManifest(BUCKET), version: 1 })
  const copy = []
  for await (const page of scanPages(state, {})) copy.push(...page)

  const erased = { project_id: 'proj_1', users: ['ada', 'anon_ada', 'carl'].map(userHash), until: UNTIL }
  const file = { number: 1, writer: '500-ab' }
  await lake.put(tombstoneKey(BUCKET, file), encodeTombstones(toTombstoneRows(erased, 1)))
  const batch = {
    ...{ ...file, first: 1, rows: 3, createdAt: 500, oldestUntil: 0, newestUntil: 0, projects: ['proj_1'] },
    ...{ lastEpoch: 1, hotUntil: 1, doneAt: 600, removed: { events: 0, files: 0 } },
  }
  const tombstones: Manifest['tombstones'] = [batch]
  await lakeState.saveManifest({ ...emptyManifest(BUCKET), version: 2, tombstones, tombstoneCount: 1 })
  await state.empty()
  await writeItems(
    state,
    copy.map(Item => ({ PutRequest: { Item } })),
  )

  const logged: string[] = []
  const log = (code: string) => void logged.push(code)
  const repeatErasures = createErasureRepeat({ ...services, log })
  const restore = (changes: { repeatErasures?: typeof repeatErasures } = {}) =>
    restoreLake({
      ...{ state: lakeState, lake, tombstones: noMending, repeatErasures, clock, log, ...changes },
      ...{ stream: { shards: async () => [], read: async () => [] } },
      ...{ consumer: {} as never, compactor: {} as never, usage: { openCounts: async () => [] } as never },
    })
  const traitsOf = async (project: string, id: string) =>
    (await identities.identity.readTraits(project, [id]))?.traits
  return { ...identities, owned, lake, lakeState, restore, repeatErasures, fold, traitsOf, logged }
}

test('persons who were erased since the moment of the table have neither traits nor links after its restoration', async () => {
  const { restore, fold, add, traitsOf, identity, owned, finals, logged } = await setUp()
  expect(await traitsOf('proj_1', 'ada')).toEqual(TRAITS.traits)
  expect(await restore()).toMatchObject({ erased: 2 })
  expect(logged).toContain('LAKE_RESTORED')
  await fold.run()
  expect(await traitsOf('proj_1', 'ada')).toBeUndefined()
  const [one, two] = await Promise.all(owned.map(identity.scopeOf))
  expect([...(await finals(one!))]).toEqual([])
  // Another person, and the same ids in another project.
  expect(await traitsOf('proj_1', 'bob')).toEqual(TRAITS.traits)
  expect(await traitsOf('proj_2', 'ada')).toEqual(TRAITS.traits)
  expect([...(await finals(two!))]).toEqual([['anon_ada', 'ada']])
  // A request of before the erasure that comes again, and one of a new person.
  await add('proj_1', [{ user_id: 'ada', at: UNTIL, ...TRAITS }])
  expect(await traitsOf('proj_1', 'ada')).toBeUndefined()
  await add('proj_1', [{ user_id: 'ada', at: UNTIL + 1, ...TRAITS }])
  expect(await traitsOf('proj_1', 'ada')).toEqual(TRAITS.traits)
  expect(await restore()).toMatchObject({ erased: 0 })
})

test('a restoration that is killed before the manifest counts erases them in the next one', async () => {
  const { restore, lakeState } = await setUp()
  const killed = () => Promise.reject(new Error('killed'))
  await expect(restore({ repeatErasures: killed })).rejects.toThrow('killed')
  expect((await lakeState.manifest(BUCKET)).tombstones).toEqual([])
  expect(await restore()).toMatchObject({ erased: 2 })
})

test('an erasure that the state knows is not repeated, and a project that it does not know is left out', async () => {
  const { repeatErasures, lake, owned, logged, restore } = await setUp()
  await createErasedUsers(state).note('proj_1', ['ada', 'anon_ada'], UNTIL)
  expect(await restore()).toMatchObject({ erased: 0 })
  const batchOf = (number: number) => [{ number, writer: '600-cd' }] as never
  const rows = toTombstoneRows({ project_id: 'proj_9', users: [userHash('ada')], until: 9 }, 2)
  await lake.put(tombstoneKey(BUCKET, batchOf(2)[0]), encodeTombstones(rows))
  expect(await repeatErasures({ bucket: BUCKET, tombstones: batchOf(2) })).toBe(0)
  await lake.put(tombstoneKey(BUCKET, batchOf(3)[0]), new Uint8Array([1, 2]))
  expect(await repeatErasures({ bucket: BUCKET, tombstones: batchOf(3) })).toBe(0)
  expect(logged).toContain('LAKE_OBJECT_DAMAGED')
  // A whole project, and a file that is gone.
  const whole = toTombstoneRows({ project_id: owned[0]!.id, users: null, until: 9 }, 4)
  await lake.put(tombstoneKey(BUCKET, batchOf(4)[0]), encodeTombstones(whole))
  for (const number of [4, 5])
    expect(await repeatErasures({ bucket: BUCKET, tombstones: batchOf(number) })).toBe(0)
})
