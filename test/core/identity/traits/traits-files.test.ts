import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { forEachConcurrent } from '#core/async/concurrency'
import { createIdentityFold } from '#core/identity/fold/fold'
import { createIdentityWork } from '#core/identity/fold/identity-work'
import { createIdentityStore } from '#core/identity/identity-store'
import { createScopeStore } from '#core/identity/scope-store'
import { createTraitsFiles } from '#core/identity/traits/traits-files'
import { createTraitsWork } from '#core/identity/traits/traits-work'
import { traitsKey } from '#core/lake/model/keys'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const MINUTE = 60_000

/** The rows of a traits file. */
async function decodeTraits(bytes: Uint8Array) {
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  return rows.map(({ user_id, has_credential, traits }) => ({
    ...{ user_id: String(user_id), hasCredential: Number(has_credential) === 1, traits: String(traits) },
  }))
}

function setUp() {
  const lake = createSimulatedLake()
  const clock = { time: 1_000_000_000, now: () => clock.time }
  const project = testProject({ id: 'proj_1', name: 'one' })
  const identities = createIdentities({ state, lake, owned: [project], clock })
  const { identity, fold } = identities
  const files = () => lake.keys('traits/')

  /** What a read would find: the newest traits of each user, by id. */
  async function read() {
    const { files: opened, isPartial } = await identity.openTraits(project)
    const rows = await Promise.all(opened.map(async key => decodeTraits((await lake.get(key)) as Uint8Array)))
    const traits = Object.fromEntries(
      rows
        .flat()
        .map(({ user_id, hasCredential, traits }) => [`${user_id} ${hasCredential}`, JSON.parse(traits)]),
    )
    return { traits, ...(isPartial && { isPartial }) }
  }

  const user = (user_id: string, traits: object, more: Partial<Identified> = {}): Identified => ({
    ...{ user_id, traits: { ...traits }, at: clock.time },
    ...more,
  })
  const add = (...users: Identified[]) => identities.add('proj_1', users)
  async function pass(ms: number): Promise<void> {
    clock.time += ms
    await fold.run()
  }
  return { ...identities, lake, clock, project, files, read, user, add, pass }
}

test('the first traits are in a file after their fold, and later ones within a minute', async () => {
  const { add, user, read, pass } = setUp()
  await add(user('u1', { plan: 'pro' }), user('u2', { plan: 'free' }, { hasCredential: false }))
  const first = { 'u1 true': { plan: 'pro' }, 'u2 false': { plan: 'free' } }
  expect(await read()).toEqual({ traits: first })
  await add(user('u1', { plan: 'team' }))
  expect(await read()).toEqual({ traits: first })
  await pass(MINUTE)
  expect(await read()).toEqual({ traits: { ...first, 'u1 true': { plan: 'team' } } })
})

test('a replaced file is deleted five minutes later, and requests without traits write none', async () => {
  const { add, user, files, pass } = setUp()
  await add(user('u1', { plan: 'pro' }))
  const [first] = files()
  await pass(MINUTE)
  await add(user('u1', { plan: 'team' }))
  expect(files()).toHaveLength(2)
  await pass(4 * MINUTE)
  expect(files()).toContain(first)
  await pass(MINUTE)
  expect(files()).toHaveLength(1)
  const left = files()
  await add({ user_id: 'u3', previous_id: 'anon_12345678' })
  await pass(10 * MINUTE)
  expect(files()).toEqual(left)
  expect(left).not.toContain(first)
})

test('a lost file makes reads partial until the next fold, which writes it again', async () => {
  const { add, user, read, files, lake, services, project, pass } = setUp()
  await add(user('u1', { plan: 'pro' }))
  await lake.delete(files())
  // Another process, which has not seen the file.
  const { openTraits } = createIdentityStore({ ...services, lake })
  expect(await openTraits(project)).toEqual({ files: [], isPartial: true })
  await pass(0)
  expect((await openTraits(project)).isPartial).toBeUndefined()
  expect(await read()).toEqual({ traits: { 'u1 true': { plan: 'pro' } } })
})

test('a lost file does not wait where the traits of the project change meanwhile', async () => {
  const { add, user, files, lake, services, project, pass } = setUp()
  await add(user('u1', { plan: 'pro' }))
  await lake.delete(files())
  const { openTraits } = createIdentityStore({ ...services, lake })
  expect((await openTraits(project)).isPartial).toBe(true)
  // Its fold meets the change first.
  await add(user('u2', { plan: 'free' }))
  await pass(0)
  expect((await openTraits(project)).isPartial).toBeUndefined()
})

test('traits from before there were files are in one after the first read that asks for them', async () => {
  const { add, user, read, pass, project } = setUp()
  await add(user('u1', { plan: 'pro' }))
  await state.client.delete({
    TableName: state.table,
    Key: { pk: `identity#${project.id}`, sk: 'traits-files' },
  })
  expect(await read()).toEqual({ traits: {}, isPartial: true })
  await pass(0)
  expect(await read()).toEqual({ traits: { 'u1 true': { plan: 'pro' } } })
})

test('after an erasure the next fold writes a file without the person, and five minutes later no file has them', async () => {
  const { add, user, read, files, identity, project, pass, lake } = setUp()
  await add(user('u1', { plan: 'pro' }), user('u2', { plan: 'free' }))
  const scope = await identity.scopeOf(project)
  await identity.removePerson(scope, ['u1'])
  await pass(1_000)
  expect(await read()).toEqual({ traits: { 'u2 true': { plan: 'free' } } })
  await pass(5 * MINUTE)
  const left = await Promise.all(files().map(async key => decodeTraits((await lake.get(key)) as Uint8Array)))
  expect(left.flat().map(({ user_id }) => user_id)).toEqual(['u2'])
})

test('an erasure whose traits file cannot be written goes on waiting', async () => {
  const { add, user, identity, project, services, lake } = setUp()
  await add(user('u1', { plan: 'pro' }))
  await identity.removePerson(await identity.scopeOf(project), ['u1'], { id: 'era_1' })
  const removed: string[] = []
  const isBroken = { now: true }
  const fold = createIdentityFold({
    ...services,
    onRemoved: async id => void removed.push(id),
    lake: {
      ...lake,
      list: async prefix => {
        if (isBroken.now && prefix.startsWith('traits/')) throw new Error('the disk is full')
        return lake.list(prefix)
      },
    },
  })
  await fold.run()
  expect(removed).toEqual([])
  isBroken.now = false
  await fold.run()
  expect(removed).toEqual(['era_1'])
})

test('files of a project that is purged go with its links', async () => {
  const { add, user, files, project, pass } = setUp()
  await add(user('u1', { plan: 'pro' }))
  await createScopeStore(state, createIdentityWork(state)).dropProject(project)
  await pass(0)
  expect(files()).toEqual([])
})

test('a file has a bounded number of rows, and what a crash has left is deleted by the next writing', async () => {
  const { add, user, services, files, lake, project, read, clock } = setUp()
  await add(...Array.from({ length: 5 }, (_, i) => user(`u${i}`, { i })))
  const crashed = traitsKey(project, { writer: '0123456789ab', part: 0 })
  await lake.put(crashed, new Uint8Array([1]))
  clock.time += 10 * MINUTE
  await createTraitsFiles({ ...services, partRows: 2 }).rewrite(project)
  expect(files()).not.toContain(crashed)
  const { traits } = await read()
  expect(Object.keys(traits)).toHaveLength(5)
  clock.time += 10 * MINUTE
  await createTraitsFiles({ ...services, partRows: 2 }).maintain(async () => {}, Number.POSITIVE_INFINITY)
  expect(files()).toHaveLength(3)
})

test('files that were written while the clock was ahead are written anew with the next change', async () => {
  const { add, user, read, clock, pass } = setUp()
  clock.time += 365 * 24 * 60 * MINUTE
  await add(user('u1', { plan: 'pro' }))
  clock.time -= 365 * 24 * 60 * MINUTE
  await add(user('u2', { plan: 'free' }))
  await pass(0)
  expect(Object.keys((await read()).traits).toSorted()).toEqual(['u1 true', 'u2 true'])
})

test('a look at the work of 20,000 projects reads four pages, and finds the one that is due', async () => {
  let pages = 0
  const query = (input: Parameters<typeof state.client.query>[0]) => {
    pages += 1
    return state.client.query(input)
  }
  const work = createTraitsWork({ ...state, client: { ...state.client, query } as typeof state.client })
  const waiting = { bucket: 255, due: 2_000_000_000_000, isChanged: true, isLost: false }
  const ids = Array.from({ length: 20_000 }, (_, i) => `proj_${String(i).padStart(26, '0')}`)
  await forEachConcurrent(ids, 100, id => work.save({ ...waiting, id }))
  expect(await work.due(1_000_000_000_000)).toEqual([])
  expect(pages).toBe(4)
  const one = { ...waiting, id: String(ids[7_000]), due: 1_000_000_000_000 }
  await work.save(one)
  expect(await work.due(1_000_000_000_000)).toEqual([one])
})
