import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createIdentityStore } from '#core/identity/identity-store'
import { openIdentity } from '#core/identity/identity-view'
import { readFinalIds } from '#core/identity/links-file'
import { DAY_MS } from '#core/time'
import { testProject } from '#test/support/account-fixtures'
import { readableEmails } from '#test/support/no-identity'
import { createSimulatedLake } from '#test/support/simulated-ports'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

function setUp(changes: Partial<Parameters<typeof testProject>[0]> = {}) {
  const lake = createSimulatedLake()
  const clock = { time: 1_000, now: () => clock.time }
  const owned = [
    testProject({ id: 'proj_1', name: 'one', ...changes }),
    testProject({ id: 'proj_2', name: 'two', ...changes }),
  ]
  const [one, two] = owned as [(typeof owned)[0], (typeof owned)[0]]
  const identity = createIdentityStore({
    ...{ client: state.client, table: state.table, lake, clock },
    projects: {
      byId: async id => owned.find(each => each.id === id) ?? null,
      list: async () => owned,
      noteLinks: async id => {
        for (const each of owned) if (each.id === id) each.has_links = true
      },
    },
  })
  let seq = 0
  const link = (previous_id: string, user_id: string) => ({ previous_id, user_id, at: 5, seq: seq++ })
  const profile = (user_id: string, email_hash: string | null, traits = {}, at = 5) => ({
    ...{ user_id, email_hash, traits, at, seq: seq++ },
  })
  const files = () => [...lake.objects.keys()].filter(key => key.startsWith('links/'))
  const view = () => openIdentity({ identity, emails: readableEmails }, one)
  return { identity, lake, clock, one, two, link, profile, files, view }
}

test('a project without links opens no file and reads nothing from the state table', async () => {
  const { identity, one, files } = setUp()
  expect(await identity.openLinks(await identity.scopeOf(one))).toBeNull()
  expect(files()).toEqual([])
})

test('small links files are merged as links arrive, and replaced files are deleted a day later', async () => {
  const { identity, one, link, files, clock, lake } = setUp()
  for (let i = 0; i < 40; i++) await identity.add('proj_1', [link(`anon_${i}`, `u${i}`)], [])
  const opened = await identity.openLinks(await identity.scopeOf(one))
  expect(opened?.files.length).toBeLessThan(5)
  expect(files().length).toBeGreaterThan(5)
  clock.time += 2 * DAY_MS
  await identity.add('proj_1', [link('anon_x', 'x')], [])
  await identity.add('proj_1', [link('anon_y', 'y')], [])
  const later = await identity.openLinks(await identity.scopeOf(one))
  expect(files().length).toBeLessThan(10)
  const finals = new Map<string, string>()
  for (const key of later?.files ?? []) {
    for (const [id, final] of await readFinalIds(lake.objects.get(key) as Uint8Array)) finals.set(id, final)
  }
  expect(finals.size).toBe(42)
})

test('users with one e-mail address are both found, and a changed address replaces the old one', async () => {
  const { identity, profile } = setUp()
  await identity.add('proj_1', [], [profile('u1', 'hash a'), profile('u2', 'hash a')])
  expect((await identity.findByEmail('proj_1', 'hash a')).toSorted()).toEqual(['u1', 'u2'])
  await identity.add('proj_1', [], [profile('u1', 'hash b', {}, 9)])
  // A request that arrived earlier is processed later.
  await identity.add('proj_1', [], [profile('u1', 'hash c', { old: 1 }, 7)])
  expect(await identity.findByEmail('proj_1', 'hash a')).toEqual(['u2'])
  expect(await identity.findByEmail('proj_1', 'hash b')).toEqual(['u1'])
  expect(await identity.findByEmail('proj_1', 'hash c')).toEqual([])
  expect(await identity.findByEmail('proj_2', 'hash a')).toEqual([])
})

test('a person has the newest traits of all their ids, and is found by the address of any of them', async () => {
  const { identity, profile, link, view } = setUp()
  await identity.add(
    'proj_1',
    [link('old', 'u1')],
    [profile('old', 'hash of a@b.c in proj_1', { plan: 'pro' }, 8), profile('u1', null, { plan: 'free' }, 6)],
  )
  const { findByEmail, readProfile, idsOf } = await view()
  expect(await findByEmail(' A@b.C ')).toEqual(['u1'])
  expect(await readProfile('proj_1', 'u1')).toMatchObject({ traits: { plan: 'pro' } })
  expect([await idsOf('old'), await idsOf('u1'), await idsOf('nobody')]).toEqual([
    ['u1', 'old'],
    ['u1'],
    ['nobody'],
  ])
})

test('an erased person leaves nothing in the state table and in the links files, and others stay', async () => {
  const joined = { portfolio_id: 'pf_1', link_domains: ['two.example'] }
  const { identity, one, link, profile, files, lake } = setUp(joined)
  await identity.add(
    'proj_1',
    [link('anon_1', 'ada'), link('anon_9', 'grace')],
    [profile('ada', 'hash a', { plan: 'pro' })],
  )
  await identity.add('proj_1', [], [profile('ada', 'hash b', {}, 9)])
  await identity.add('proj_2', [link('ada', 'ada-2')], [profile('ada-2', 'hash b', { plan: 'free' })])
  const scope = await identity.scopeOf(one)
  expect(scope.projects).toHaveLength(2)
  await identity.openLinks(scope)
  const ids = await identity.personIds(scope, 'anon_1')
  expect(ids.toSorted()).toEqual(['ada', 'ada-2', 'anon_1'])
  expect(await identity.erasePerson(scope, ids)).toEqual({ links: 2, profiles: 2, emails: 2 })
  expect(await identity.erasePerson(scope, ids)).toEqual({ links: 0, profiles: 0, emails: 0 })
  const { Items } = await state.client.scan({ TableName: state.table })
  expect(JSON.stringify(Items)).not.toMatch(/ada|anon_1|hash/)
  expect(files()).toEqual([])
  const opened = await identity.openLinks(scope)
  const finals = await readFinalIds(lake.objects.get(opened?.files[0] as string) as Uint8Array)
  expect([...finals]).toEqual([['anon_9', 'grace']])
})

test('a links file that is lost is written again by the next read', async () => {
  const { identity, one, link, files, lake } = setUp()
  await identity.add('proj_1', [link('anon_1', 'u1')], [])
  const scope = await identity.scopeOf(one)
  await identity.openLinks(scope)
  lake.objects.clear()
  expect(await identity.repairScope('proj_1')).toBe(true)
  expect((await identity.openLinks(scope))?.files).toEqual(files())
  expect(await identity.repairScope('somebody')).toBe(false)
})

test('projects of a portfolio share users only if both link their domains, and other members are another scope', async () => {
  const { identity, one, two, link } = setUp({ portfolio_id: 'pf_1' })
  one.link_domains = ['two.example']
  expect((await identity.scopeOf(one)).key).toBe('proj_1')
  two.has_linked_anonymous_ids = true
  const scope = await identity.scopeOf(one)
  expect([scope.key, scope.projects.map(({ id }) => id)]).toEqual([
    expect.stringMatching(/^pf_1_/),
    ['proj_1', 'proj_2'],
  ])
  expect((await identity.scopeOf(two)).key).toBe(scope.key)
  await identity.add('proj_2', [link('anon_1', 'u1')], [])
  expect(await identity.finalId(scope, 'anon_1')).toBe('u1')
  two.portfolio_id = null
  expect(await identity.finalId(await identity.scopeOf(one), 'anon_1')).toBe('anon_1')
})

describe('after the erasure of a person', () => {
  const EMAIL = 'hash of a@b.c in proj_1'

  /** A person with a link and a profile, and the identify requests that made them. */
  async function erasePerson() {
    const services = setUp()
    const { identity, link, profile, one } = services
    const requests = [[link('anon_ada', 'ada')], [profile('ada', EMAIL, { plan: 'pro' })]] as const
    await identity.add('proj_1', ...requests)
    await identity.erasePerson(await identity.scopeOf(one), ['ada', 'anon_ada'])
    return { ...services, requests }
  }

  test('a replayed claim brings neither links nor traits nor addresses back, in the state and in the lake', async () => {
    const { identity, link, requests, one, lake } = await erasePerson()
    await identity.add('proj_1', ...requests)
    await identity.add('proj_1', [link('anon_bob', 'bob')], [])
    await identity.openLinks(await identity.scopeOf(one))
    expect(await identity.finalId(await identity.scopeOf(one), 'anon_ada')).toBe('anon_ada')
    expect(await identity.findByEmail('proj_1', EMAIL)).toEqual([])
    expect(await identity.readProfile('proj_1', ['ada', 'anon_ada'])).toBeNull()
    const { Items } = await state.client.scan({ TableName: state.table })
    expect(JSON.stringify(Items)).not.toMatch(/ada|a@b/)
    const rows = await Promise.all([...lake.objects.values()].map(readFinalIds))
    expect(rows.flatMap(finals => [...finals])).toEqual([['anon_bob', 'bob']])
  })

  test('a later request of the same ids counts for a new person', async () => {
    const { identity, link, profile, one, clock } = await erasePerson()
    const at = clock.time + 1
    await identity.add('proj_1', [{ ...link('anon_ada', 'ada'), at }], [profile('ada', EMAIL, {}, at)])
    expect(await identity.finalId(await identity.scopeOf(one), 'anon_ada')).toBe('ada')
    expect(await identity.findByEmail('proj_1', EMAIL)).toEqual(['ada'])
  })

  test('a request that is processed at the same time stays erased', async () => {
    const { lake, clock, one, link, profile } = setUp()
    let erase = async () => {}
    // The erasure runs after the first check and before the link is stored.
    const client = new Proxy(state.client, {
      get(target, name) {
        const method = target[name as 'put'].bind(target)
        if (name !== 'put') return method
        return async (input: Parameters<typeof method>[0]) => {
          const eraseNow = erase
          erase = async () => {}
          await eraseNow()
          return method(input)
        }
      },
    })
    const services = {
      ...{ table: state.table, lake, clock },
      projects: { byId: async () => one, list: async () => [one], noteLinks: async () => {} },
    }
    const identity = createIdentityStore({ ...services, client })
    const eraser = createIdentityStore({ ...services, client: state.client })
    erase = async () => void (await eraser.erasePerson(await eraser.scopeOf(one), ['ada', 'anon_ada']))
    await identity.add('proj_1', [link('anon_ada', 'ada'), link('anon_bob', 'bob')], [profile('ada', EMAIL)])
    const { Items } = await state.client.scan({ TableName: state.table })
    expect(JSON.stringify(Items)).not.toMatch(/ada/)
    const rows = await Promise.all([...lake.objects.values()].map(readFinalIds))
    expect(rows.flatMap(finals => [...finals])).toEqual([['anon_bob', 'bob']])
  })

  test('an index entry that a crash has left behind goes with the person', async () => {
    const { lake, clock, one, profile } = setUp()
    const identity = createIdentityStore({
      ...{ client: state.client, table: state.table, lake, clock },
      projects: { byId: async () => one, list: async () => [one], noteLinks: async () => {} },
    })
    await identity.add('proj_1', [], [profile('ada', 'hash a')])
    const client = new Proxy(state.client, {
      get(target, name) {
        if (name === 'delete') return () => Promise.reject(new Error('killed'))
        const value = target[name as 'put']
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const killed = createIdentityStore({
      ...{ client, table: state.table, lake, clock },
      projects: { byId: async () => one, list: async () => [one], noteLinks: async () => {} },
    })
    const changed = profile('ada', 'hash b', {}, 9)
    await expect(killed.add('proj_1', [], [changed])).rejects.toThrow('killed')
    await identity.erasePerson(await identity.scopeOf(one), ['ada'])
    const { Items } = await state.client.scan({ TableName: state.table })
    expect(JSON.stringify(Items)).not.toMatch(/ada/)
  })
})
