import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openIdentity } from '#core/identity/identity-view'
import { findPersonIds } from '#core/identity/links/person-ids'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { readableEmails } from '#test/support/no-identity'
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
  const identities = createIdentities({ state, lake, owned, clock })
  const { identity } = identities
  const link = (previous_id: string, user_id: string, at = 5): Identified => ({ previous_id, user_id, at })
  const user = (user_id: string, email_hash: string | null, traits = {}, at = 5): Identified => ({
    ...{ user_id, email_hash, traits, at },
  })
  const files = () => lake.keys('links/bucket=')
  const engine = { rows: async () => expect.unreachable() }
  const view = () => openIdentity({ identity, emails: readableEmails, engine }, one)
  const items = async () => JSON.stringify((await state.client.scan({ TableName: state.table })).Items)
  return { ...identities, lake, clock, one, two, link, user, files, view, items }
}

test('a project without links opens no file and reads nothing from the state table', async () => {
  const { identity, one, files } = setUp()
  expect(await identity.openLinks(await identity.scopeOf(one))).toBeNull()
  expect(files()).toEqual([])
})

test('small links files are merged as links arrive, and replaced files are deleted minutes later', async () => {
  const { identity, add, finals, one, link, files, clock } = setUp()
  for (let i = 0; i < 40; i++) await add('proj_1', [link(`anon_${i}`, `u${i}`)])
  const scope = await identity.scopeOf(one)
  expect((await identity.openLinks(scope))?.files).toHaveLength(1)
  expect(files().length).toBeGreaterThan(5)
  clock.time += 600_000
  await add('proj_1', [link('anon_x', 'x')])
  expect(files()).toHaveLength(2)
  expect((await finals(scope)).size).toBe(41)
})

test('users with one e-mail address are both found, and a changed address replaces the old one', async () => {
  const { identity, add, user } = setUp()
  await add('proj_1', [user('u1', 'hash a'), user('u2', 'hash a')])
  expect((await identity.openPeople().findByEmail('proj_1', 'hash a')).toSorted()).toEqual(['u1', 'u2'])
  await add('proj_1', [user('u1', 'hash b', {}, 9)])
  // A request that arrived earlier is processed later.
  await add('proj_1', [user('u1', 'hash c', { old: 1 }, 7)])
  expect(await identity.openPeople().findByEmail('proj_1', 'hash a')).toEqual(['u2'])
  expect(await identity.openPeople().findByEmail('proj_1', 'hash b')).toEqual(['u1'])
  expect(await identity.openPeople().findByEmail('proj_1', 'hash c')).toEqual([])
  expect(await identity.openPeople().findByEmail('proj_2', 'hash a')).toEqual([])
})

test('traits and an address without a credential fill what is missing, and replace nothing that came with one', async () => {
  const { identity, add, user } = setUp()
  const strangers = (request: Identified): Identified => ({ ...request, hasCredential: false })
  await add('proj_1', [strangers(user('u1', 'hash s', { plan: 'free', city: 'Ulm' }))])
  expect((await identity.readTraits('proj_1', ['u1']))?.traits).toEqual({ plan: 'free', city: 'Ulm' })
  expect(await identity.openPeople().findByEmail('proj_1', 'hash s')).toEqual(['u1'])
  await add('proj_1', [user('u1', 'hash a', { plan: 'pro' }, 6)])
  await add('proj_1', [strangers(user('u1', 'hash evil', { plan: 'evil', city: 'Bonn' }, 7))])
  expect((await identity.readTraits('proj_1', ['u1']))?.traits).toEqual({ plan: 'pro', city: 'Bonn' })
  expect(await identity.openPeople().findByEmail('proj_1', 'hash a')).toEqual(['u1'])
  expect(await identity.openPeople().findByEmail('proj_1', 'hash evil')).toEqual([])
  expect(await identity.openPeople().findByEmail('proj_1', 'hash s')).toEqual([])
})

test('a person has the newest traits of all their ids, and is found by the address of any of them', async () => {
  const { add, user, link, view, identity } = setUp()
  await add('proj_1', [user('old', 'hash of a@b.c in proj_1', { plan: 'pro' }, 8)])
  await add('proj_1', [user('u1', null, { plan: 'free' }, 6), link('old', 'u1')])
  // A request that names the old id counts for the person too.
  await add('proj_1', [user('old', null, { plan: 'team' }, 9)])
  const { findByEmail, readTraits, idsOf } = await view()
  expect(await findByEmail(' A@b.C ')).toEqual(['u1'])
  expect(await readTraits('proj_1', 'u1')).toMatchObject({ traits: { plan: 'team' } })
  expect(await identity.readTraits('proj_1', ['old'])).toBeNull()
  expect([await idsOf('old'), await idsOf('u1'), await idsOf('nobody')]).toEqual([
    ['u1', 'old'],
    ['u1'],
    ['nobody'],
  ])
})

test('an erased person leaves nothing in the state table and in the lake, and others stay', async () => {
  const joined = { portfolio_id: 'pf_1', link_domains: ['two.example'] }
  const { identity, fold, add, finals, personIds, one, link, user, lake, clock, items } = setUp(joined)
  await add('proj_1', [
    link('anon_1', 'ada'),
    link('anon_9', 'grace'),
    user('ada', 'hash a', { plan: 'pro' }),
  ])
  await add('proj_1', [user('ada', 'hash b', {}, 9)])
  await add('proj_2', [link('ada', 'ada-2'), user('ada-2', 'hash b', { plan: 'free' })])
  const scope = await identity.scopeOf(one)
  expect(scope.projects).toHaveLength(2)
  const ids = await personIds(scope, 'anon_1')
  expect(ids).toEqual(['ada', 'ada-2', 'anon_1'])
  await identity.removePerson(scope, ids)
  await fold.run()
  expect(await items()).not.toMatch(/ada|anon_1|hash [ab]/)
  expect([...(await finals(scope))]).toEqual([['anon_9', 'grace']])
  clock.time += 600_000
  await add('proj_1', [link('anon_10', 'grace')])
  const bytes = lake.keys('').map(key => Buffer.from(lake.objects.get(key) as Uint8Array).toString('latin1'))
  expect(bytes.join()).not.toMatch(/ada|anon_1"/)
})

test('what was removed of a person is told once it is removed', async () => {
  const removed: unknown[] = []
  const { identity, link, user, one, lake, clock } = setUp()
  const { add, fold } = createIdentities({
    ...{ state, lake, clock, owned: [one] },
    onRemoved: async (id, counts) => void removed.push([id, counts]),
  })
  await add('proj_1', [link('anon_1', 'ada'), link('anon_2', 'ada'), user('ada', 'hash a')])
  await identity.removePerson(await identity.scopeOf(one), ['ada', 'anon_1', 'anon_2'], { id: 'era_1' })
  await fold.run()
  await fold.run()
  expect(removed).toEqual([['era_1', { links: 2, profiles: 1, emails: 1 }]])
})

test.each(['a links file', 'what names the links files'])(
  '%s that is lost is made again from the state without a call, and until then reads have what is left',
  async lost => {
    const { identity, fold, add, finals, one, link, lake } = setUp()
    await add('proj_1', [link('anon_1', 'u1'), link('anon_2', 'anon_1')])
    const scope = await identity.scopeOf(one)
    const before = await finals(scope)
    const prefix = lost === 'a links file' ? 'links/bucket' : 'manifests/links/'
    for (const key of lake.keys(prefix)) lake.objects.delete(key)
    // Processes that do not know the file yet.
    const open = () => createIdentities({ state, lake, owned: [one], clock: { now: () => 1 } })
    const other = open()
    expect(await other.identity.openLinks(scope)).toMatchObject({ files: [], isPartial: true })
    // An erasure must not miss ids of the person.
    const services = { identity: other.identity, rows: async () => [] }
    await expect(findPersonIds(services, one, 'u1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await open().fold.run()
    expect(await other.identity.openLinks(scope)).not.toHaveProperty('isPartial')
    await fold.run()
    expect(await finals(scope)).toEqual(before)
  },
)

test('links files of several buckets that are lost are made again by one read of the state table', async () => {
  const lake = createSimulatedLake()
  const owned = [1, 2, 3].map(i => testProject({ id: `proj_${i}`, name: `site ${i}`, bucket: i }))
  let scans = 0
  const client: TestState['client'] = Object.assign(Object.create(state.client), {
    scan: (input: Parameters<typeof state.client.scan>[0]) => {
      scans += 1
      return state.client.scan(input)
    },
  })
  const clock = { now: () => 1 }
  const open = () => createIdentities({ state: { ...state, client }, lake, owned, clock })
  const { add, finals, identity } = open()
  const scopes = await Promise.all(owned.map(project => identity.scopeOf(project)))
  for (const { id } of owned) await add(id, [{ previous_id: `anon ${id}`, user_id: `user ${id}`, at: 5 }])
  const before = await Promise.all(scopes.map(finals))
  for (const key of lake.keys('links/bucket')) lake.objects.delete(key)
  const other = open()
  for (const scope of scopes) expect(await other.identity.openLinks(scope)).toMatchObject({ isPartial: true })
  scans = 0
  await other.fold.run()
  expect(scans).toBe(1)
  expect(await Promise.all(scopes.map(finals))).toEqual(before)
  expect(before.map(each => each.size)).toEqual([1, 1, 1])
})

test('links that come after a damage of what names the files are read beside the others', async () => {
  const { add, finals, identity, one, link, lake } = setUp()
  await add('proj_1', [link('anon_1', 'u1')])
  const scope = await identity.scopeOf(one)
  for (const key of lake.keys('manifests/links/')) await lake.put(key, new Uint8Array(3))
  const other = createIdentities({ state, lake, owned: [one], clock: { now: () => 1 } })
  await other.fold.run()
  await other.fold.run()
  await add('proj_1', [link('anon_3', 'u3')])
  expect([...(await finals(scope)).keys()].toSorted()).toEqual(['anon_1', 'anon_3'])
})

test('projects of a portfolio share users only if both link their domains, and other members are another scope', async () => {
  const { identity, fold, add, finals, one, two, link } = setUp({ portfolio_id: 'pf_1' })
  one.link_domains = ['two.example']
  expect((await identity.scopeOf(one)).key).toBe('proj_1')
  await add('proj_2', [link('anon_1', 'u1')])
  await add('proj_1', [link('u1', 'one'), link('x', 'anon_1')])
  two.has_linked_anonymous_ids = true
  // Until the links of the joined scope are made, each project is read by its own.
  expect((await identity.scopeOf(one)).key).toBe('proj_1')
  await fold.run()
  const scope = await identity.scopeOf(one)
  expect([scope.key, scope.projects.map(({ id }) => id)]).toEqual([
    expect.stringMatching(/^pf_1_/),
    ['proj_1', 'proj_2'],
  ])
  expect((await identity.scopeOf(two)).key).toBe(scope.key)
  expect(await identity.finalId(scope, 'anon_1')).toBe('one')
  await add('proj_2', [link('anon_2', 'x')])
  expect((await finals(scope)).get('anon_2')).toBe('one')

  // The project leaves, gets a link, and comes back: the scope is made anew.
  two.portfolio_id = null
  expect(await identity.finalId(await identity.scopeOf(one), 'anon_1')).toBe('anon_1')
  await add('proj_2', [link('anon_3', 'u1')])
  two.portfolio_id = 'pf_1'
  await identity.scopeOf(two)
  await fold.run()
  expect((await finals(await identity.scopeOf(two))).get('anon_3')).toBe('one')
})

describe('after the erasure of a person', () => {
  const EMAIL = 'hash of a@b.c in proj_1'

  /** A person with a link and traits, and the identify requests that made them. */
  async function erasePerson() {
    const services = setUp()
    const { identity, add, link, user, one, fold } = services
    const requests = [link('anon_ada', 'ada'), user('ada', EMAIL, { plan: 'pro' })]
    await add('proj_1', requests)
    await identity.removePerson(await identity.scopeOf(one), ['ada', 'anon_ada'])
    await fold.run()
    return { ...services, requests }
  }

  test('a replayed claim brings neither links nor traits nor addresses back, in the state and in the lake', async () => {
    const { identity, add, finals, link, requests, one, items } = await erasePerson()
    await add('proj_1', requests)
    await add('proj_1', [link('anon_bob', 'bob')])
    const scope = await identity.scopeOf(one)
    expect(await identity.finalId(scope, 'anon_ada')).toBe('anon_ada')
    expect(await identity.openPeople().findByEmail('proj_1', EMAIL)).toEqual([])
    expect(await identity.readTraits('proj_1', ['ada', 'anon_ada'])).toBeNull()
    expect(await items()).not.toMatch(/(\b|_)ada\b|a@b/)
    expect([...(await finals(scope))]).toEqual([['anon_bob', 'bob']])
  })

  test('a later request of the same ids counts for a new person, also if the fold finds it beside the erasure', async () => {
    const { identity, write, add, fold, link, user, one, clock } = setUp()
    await add('proj_1', [link('anon_ada', 'ada'), user('ada', EMAIL, { plan: 'pro' })])
    const scope = await identity.scopeOf(one)
    await identity.removePerson(scope, ['ada', 'anon_ada'])
    const at = clock.time + 1
    await write('proj_1', [link('anon_ada', 'new', at), user('new', EMAIL, {}, at)])
    await fold.run()
    expect(await identity.finalId(scope, 'anon_ada')).toBe('new')
    expect(await identity.openPeople().findByEmail('proj_1', EMAIL)).toEqual(['new'])
  })

  test('a request that the fold takes at the same time is removed by the next run', async () => {
    const { lake, clock, one, link, user, items, finals, fold } = setUp()
    let erase = async () => {}
    // The erasure runs after the fold has looked for erasures, and before a link is stored.
    const client = new Proxy(state.client, {
      get(target, name) {
        const method = target[name as 'batchWrite'].bind(target)
        if (name !== 'batchWrite') return method
        return async (input: Parameters<typeof method>[0]) => {
          const eraseNow = erase
          erase = async () => {}
          await eraseNow()
          return method(input)
        }
      },
    })
    const { add } = createIdentities({ state: { ...state, client }, lake, clock, owned: [one] })
    const { identity: eraser } = createIdentities({ state, lake, clock, owned: [one] })
    erase = async () => void (await eraser.removePerson(await eraser.scopeOf(one), ['ada', 'anon_ada']))
    await add('proj_1', [link('anon_ada', 'ada'), link('anon_bob', 'bob'), user('ada', EMAIL)])
    await fold.run()
    expect(await items()).not.toMatch(/(\b|_)ada\b/)
    expect([...(await finals(await eraser.scopeOf(one)))]).toEqual([['anon_bob', 'bob']])
  })

  test('an index entry that a failed write has left behind goes with the person', async () => {
    const { lake, clock, one, user, identity, add, fold, items } = setUp()
    await add('proj_1', [user('ada', 'hash a')])
    const client = new Proxy(state.client, {
      get(target, name) {
        const value = target[name as 'batchWrite']
        if (name !== 'batchWrite') return typeof value === 'function' ? value.bind(target) : value
        return (input: Parameters<typeof value>[0]) =>
          JSON.stringify(input).includes('DeleteRequest')
            ? Promise.reject(new Error('killed'))
            : target.batchWrite(input as never)
      },
    })
    const killed = createIdentities({ state: { ...state, client }, lake, clock, owned: [one] })
    await killed.write('proj_1', [])
    await killed.add('proj_1', [user('ada', 'hash b', {}, 9)])
    expect(killed.logged).toContain('JOB_FAILED')
    await identity.removePerson(await identity.scopeOf(one), ['ada'])
    await fold.run()
    expect(await items()).not.toMatch(/(\b|_)ada\b/)
  })
})

test('identity files are deleted when they are folded and their epoch is closed', async () => {
  const { add, write, fold, link, lake, lakeState } = setUp()
  const identityFiles = () => lake.keys('hot-identity/')
  await add('proj_1', [link('anon_1', 'u1')])
  expect(identityFiles()).toHaveLength(1)
  lakeState.epoch = 2
  await fold.run()
  await fold.run()
  expect(identityFiles()).toHaveLength(0)
  await write('proj_1', [link('anon_2', 'u1')])
  expect(identityFiles()).toHaveLength(1)
})

describe('a link that was on its way when one of its ends was erased', () => {
  function setUpErasing() {
    const given = setUp()
    const erased: string[] = []
    const { write, fold, add } = createIdentities({
      ...{ state, lake: given.lake, clock: given.clock, owned: [given.one] },
      eraseEvents: async (_, ids) => void erased.push(...ids),
    })
    const erase = async (ids: readonly string[]) => {
      given.clock.time = 1_000
      await given.identity.removePerson(await given.identity.scopeOf(given.one), ids)
      await fold.run()
      return erased
    }
    return { ...given, write, fold, add, erase }
  }

  test('the ids that were linked to the other end before are erased too, with their links and traits', async () => {
    const { add, write, erase, identity, one, link, user } = setUpErasing()
    await add('proj_1', [link('anon_1', 'u1', 10), user('u1', null, { plan: 'pro' })])
    await add('proj_1', [link('anon_2', 'anon_1', 11), link('anon_7', 'bob', 12)])
    await write('proj_1', [link('anon_9', 'u1', 900)])
    expect((await erase(['anon_9'])).toSorted()).toEqual(['anon_1', 'anon_2', 'u1'])
    const scope = await identity.scopeOf(one)
    expect(await identity.finalId(scope, 'anon_2')).toBe('anon_2')
    expect(await identity.readTraits('proj_1', ['u1'])).toBeNull()
    expect(await identity.finalId(scope, 'anon_7')).toBe('bob')
  })

  test('a device that is linked to somebody else stays, because its link would have been refused', async () => {
    const { add, write, erase, identity, one, link } = setUpErasing()
    await add('proj_1', [link('anon_9', 'bob', 10)])
    await write('proj_1', [link('anon_9', 'u1', 900)])
    expect(await erase(['u1'])).toEqual([])
    expect(await identity.finalId(await identity.scopeOf(one), 'anon_9')).toBe('bob')
  })

  test('a user stays whom an erased device was to be linked to although it was linked already', async () => {
    const { add, write, erase, link } = setUpErasing()
    await add('proj_1', [link('anon_9', 'bob', 10)])
    await write('proj_1', [link('anon_9', 'victim', 900)])
    expect(await erase(['anon_9', 'bob'])).toEqual([])
  })

  test.each([
    ['the user', 'u1', 'anon_9'],
    ['the device', 'anon_9', 'u1'],
  ])('is not made, and the other end is erased too: %s', async (_, erased, other) => {
    const calls: unknown[] = []
    const { identity, one, lake, clock, link } = setUp()
    const { write, fold } = createIdentities({
      ...{ state, lake, clock, owned: [one] },
      eraseEvents: async (project, ids, until) => void calls.push([project.id, ids, until]),
    })
    await write('proj_1', [
      link('anon_9', 'u1', 900),
      // It leads to the other end, so it is of the same person.
      { ...link('anon_8', 'anon_9', 901), traits: { plan: 'pro' } },
      link('anon_7', 'bob', 902),
      link('anon_9', 'u1', 1_001),
    ])
    clock.time = 1_000
    await identity.removePerson(await identity.scopeOf(one), [erased])
    await fold.run()
    expect(calls).toEqual([
      ['proj_1', [other, ...(other === 'anon_9' ? [] : ['anon_8'])], 1_000],
      ...(other === 'anon_9' ? [['proj_1', ['anon_8'], 1_000]] : []),
    ])
    const scope = await identity.scopeOf(one)
    // What arrived later is of new persons.
    expect(await identity.finalId(scope, 'anon_9')).toBe('u1')
    expect(await identity.finalId(scope, 'anon_8')).toBe('anon_8')
    expect(await identity.finalId(scope, 'anon_7')).toBe('bob')
    expect(await identity.readTraits('proj_1', ['anon_8', 'anon_9', 'u1'])).toBeNull()
  })
})
