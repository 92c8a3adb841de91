import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAMAGED_WAIT_MS } from '#core/identity/fold/slice'
import { linksPrefix } from '#core/lake/model/keys'
import { bucketOf } from '#core/state/bucket-of'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { oracleIdentity, type SentLink } from '#test/support/oracle/identity'
import { openTestState, type TestState } from '#test/support/test-state'

const [BUCKET_A, BUCKET_B, BUCKET_JOINED] = [3, 5, bucketOf('pf_1')] as const

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

/** Two projects in different buckets. The links files of the buckets in `failing` cannot be written. */
function setUp({ isJoined = false, hasShards = false } = {}) {
  const simulated = createSimulatedLake()
  const failing = new Set<number>()
  const lake: typeof simulated = {
    ...simulated,
    async put(key, bytes) {
      if ([...failing].some(bucket => key.startsWith(linksPrefix(bucket)))) throw new Error('No such bucket')
      return simulated.put(key, bytes)
    },
  }
  const clock = { time: 1_000, now: () => clock.time }
  const joined = isJoined ? { portfolio_id: 'pf_1', link_domains: ['two.example'] } : {}
  const owned = [
    testProject({ id: 'proj_a', name: 'a', bucket: BUCKET_A, ...joined }),
    testProject({ id: 'proj_b', name: 'b', bucket: BUCKET_B, ...joined }),
  ]
  const project = (id: string) => owned.find(each => each.id === id) as (typeof owned)[number]
  const identities = createIdentities({ state, lake, owned, clock })
  let at = 0
  const link = (previous_id: string, user_id: string): Identified => ({
    previous_id,
    user_id,
    at: ++at,
    seq: at,
  })
  async function finalsOf(id: string) {
    return identities.finals(await identities.identity.scopeOf(project(id)))
  }
  const shardOf = (id: string) => (hasShards ? id : 's0')
  return { ...identities, lake: simulated, failing, clock, project, link, finalsOf, shardOf }
}

test('a bucket that fails stops only its own links, and gets them when it works again, each once', async () => {
  const { failing, write, fold, link, finalsOf, lake, lakeState, identity, logged } = setUp()
  failing.add(BUCKET_A)
  for (let i = 0; i < 5; i++) {
    await write('proj_a', [link(`anon_a${i}`, 'ada'), { ...link(`anon_a${i}`, 'eve'), hasCredential: false }])
    await write('proj_b', [{ ...link(`anon_b${i}`, 'bob'), traits: { plan: `p${i}` } }])
    await fold.run()
    lakeState.epoch++
  }
  expect((await finalsOf('proj_b')).size).toBe(5)
  expect((await identity.readTraits('proj_b', ['bob']))?.traits).toEqual({ plan: 'p4' })
  expect((await finalsOf('proj_a')).size).toBe(0)
  expect(logged).toContain('JOB_FAILED')
  expect(lake.keys('hot-identity/').length).toBeGreaterThan(5)
  failing.clear()
  await fold.run()
  expect(await finalsOf('proj_a')).toEqual(new Map([0, 1, 2, 3, 4].map(i => [`anon_a${i}`, 'ada'])))
  expect(await identity.refusedLinks('proj_a')).toEqual({ already_linked: 5 })
  lakeState.epoch++
  await fold.run()
  await fold.run()
  expect(lake.keys('hot-identity/')).toEqual([])
})

test('an erasure whose links files cannot be written delays nobody in other buckets, and is done later', async () => {
  const { failing, write, add, fold, link, finalsOf, identity, project } = setUp()
  await add('proj_a', [link('anon_a', 'ada'), link('anon_c', 'carl')])
  await identity.removePerson(await identity.scopeOf(project('proj_a')), ['ada', 'anon_a'])
  failing.add(BUCKET_A)
  await write('proj_a', [link('anon_d', 'dora')])
  await write('proj_b', [link('anon_b', 'bob')])
  await fold.run()
  expect([...(await finalsOf('proj_b')).keys()]).toEqual(['anon_b'])
  failing.clear()
  await fold.run()
  await fold.run()
  expect(await finalsOf('proj_a')).toEqual(
    new Map([
      ['anon_c', 'carl'],
      ['anon_d', 'dora'],
    ]),
  )
})

test('a damaged identity file holds its shard back for a quarter of an hour, and counts when it is repaired later', async () => {
  const { write, fold, link, finalsOf, lake, lakeState, clock, logged } = setUp()
  await write('proj_a', [link('anon_1', 'ada')])
  const key = lake.keys('hot-identity/')[0] as string
  const bytes = lake.objects.get(key) as Uint8Array
  lake.objects.set(key, bytes.slice(0, 20))
  await write('proj_b', [link('anon_2', 'bob')])
  await fold.run()
  clock.time += DAMAGED_WAIT_MS - 1
  await fold.run()
  expect((await finalsOf('proj_b')).size).toBe(0)
  clock.time += 1
  await fold.run()
  expect((await finalsOf('proj_b')).size).toBe(1)
  lakeState.epoch++
  await fold.run()
  await fold.run()
  expect(lake.keys('hot-identity/')).toEqual([key])
  expect(logged.filter(code => code === 'LAKE_OBJECT_DAMAGED')).toHaveLength(1)
  lake.objects.set(key, bytes)
  await fold.run()
  expect(await finalsOf('proj_a')).toEqual(new Map([['anon_1', 'ada']]))
  await fold.run()
  expect(lake.keys('hot-identity/')).toEqual([])
})

test('a damaged file that is repaired in time is folded in its turn, and one that is deleted is forgotten', async () => {
  const { write, fold, link, finalsOf, lake, lakeState, clock } = setUp()
  await write('proj_a', [link('anon_1', 'ada')])
  await write('proj_a', [link('anon_1', 'eve')])
  const [first, second] = lake.keys('hot-identity/') as [string, string]
  const bytes = lake.objects.get(first) as Uint8Array
  lake.objects.set(first, Buffer.from('damaged'))
  await fold.run()
  lake.objects.set(first, bytes)
  await fold.run()
  expect(await finalsOf('proj_a')).toEqual(new Map([['anon_1', 'ada']]))
  expect(lake.keys('hot-identity/')).toContain(second)
  await write('proj_a', [link('anon_3', 'ada')])
  const third = lake.keys('hot-identity/').at(-1) as string
  lake.objects.set(third, Buffer.from('damaged'))
  await fold.run()
  clock.time += DAMAGED_WAIT_MS
  await write('proj_a', [link('anon_4', 'ada')])
  await fold.run()
  lake.objects.delete(third)
  lakeState.epoch++
  await fold.run()
  await fold.run()
  expect([...(await finalsOf('proj_a')).keys()].toSorted()).toEqual(['anon_1', 'anon_4'])
  expect(lake.keys('hot-identity/')).toEqual([])
})

test('ids resolve as if no bucket had ever failed, whichever buckets fail and when, also in joined scopes', async () => {
  const IDS = ['u1', 'u2', 'u3', 'anon_1', 'anon_2', 'anon_3']
  const step = fc.record({
    links: fc.array(
      fc.record({
        project_id: fc.constantFrom('proj_a', 'proj_b'),
        previous_id: fc.constantFrom(...IDS),
        user_id: fc.constantFrom(...IDS),
      }),
      { maxLength: 4 },
    ),
    failing: fc.subarray([BUCKET_A, BUCKET_B, BUCKET_JOINED]),
    closesEpoch: fc.boolean(),
  })
  let failures = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, isJoined, hasShards) => {
        await state.empty()
        const { failing, write, fold, link, finalsOf, lakeState, logged, shardOf } = setUp({
          isJoined,
          hasShards,
        })
        const sent: SentLink[] = []
        for (const { links, failing: now, closesEpoch } of steps) {
          failing.clear()
          for (const bucket of now) failing.add(bucket)
          for (const { project_id, previous_id, user_id } of links) {
            if (previous_id === user_id) continue
            sent.push({ project_id, previous_id, user_id })
            await write(project_id, [link(previous_id, user_id)], shardOf(project_id))
          }
          await fold.run()
          if (closesEpoch) lakeState.epoch++
        }
        failures += logged.filter(code => code === 'JOB_FAILED').length
        failing.clear()
        for (let i = 0; i < 5; i++) {
          for (const id of ['proj_a', 'proj_b']) await finalsOf(id)
          await fold.run()
        }
        const { finalId } = oracleIdentity(sent, id => (isJoined ? 'joined' : id))
        for (const id of ['proj_a', 'proj_b']) {
          const finals = await finalsOf(id)
          for (const user of IDS)
            expect([id, user, finals.get(user) ?? user]).toEqual([id, user, finalId(id, user)])
        }
      },
    ),
    propertySettings(12),
  )
  expect(failures).toBeGreaterThan(3)
}, 600_000)
