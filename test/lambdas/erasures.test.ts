import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newRecording } from '#test/support/replays'

/** What holds for every row is tested in routes.test.ts and credentials.test.ts. */

let service: HttpService
let emptyService: HttpService
beforeAll(async () => {
  service = await openHttpService()
  emptyService = await openHttpService({ reading: { engine: { rows: async () => [] } } })
})
afterAll(async () => {
  await service.close()
  await emptyService.close()
})

test('an erasure hides the user in the manifest at once, and its receipt names no user', async () => {
  const project = await service.createProject()
  const { status, body } = await service.call(routes.erasePerson, {
    id: 'person/1 %2F',
    query: { project: project.name },
  })
  expect([status, body]).toEqual([202, { ok: true, erasure_id: expect.any(String), status: 'pending' }])
  const { tombstones } = await service.lakeState.manifest(project.bucket)
  expect(tombstones.at(-1)).toMatchObject({
    projects: [project.id],
    newestUntil: Math.floor(service.now() / 1_000),
  })
  const id = String(body.erasure_id)
  const receipt = await service.call(routes.readErasure, { id })
  expect(receipt.body).toEqual({
    id,
    project: project.name,
    status: 'running',
    requested_at: service.now(),
    completed_at: null,
    removed: { events: 2, sessions: 1, links: 0, profiles: 0, replays: 0, files_rewritten: 0 },
  })
  const { Items } = await service.state.client.scan({ TableName: service.state.table })
  expect(JSON.stringify(Items)).not.toContain('person/1')
})

test('in a joined identity scope an erasure hides the user in every member project', async () => {
  const members = [await service.createProject(), await service.createProject()]
  for (const { id } of members) {
    await service.call(routes.updateProject, { id, body: { link_domains: ['other.example'] } })
  }
  const body = { slug: 'joined', name: 'Joined', projects: members.map(({ id }) => id) }
  expect((await service.call(routes.createPortfolio, { body })).status).toBe(201)
  const { status, body: erased } = await service.call(routes.erasePerson, {
    id: 'ada',
    query: { project: members[0]!.name },
  })
  expect(status).toBe(202)
  for (const { id, bucket } of members) {
    const { tombstones } = await service.lakeState.manifest(bucket)
    expect(tombstones.filter(({ projects }) => projects?.includes(id))).toHaveLength(1)
  }
  const receipt = await service.call(routes.readErasure, { id: String(erased.erasure_id) })
  expect(receipt.body).toMatchObject({ project: members[0]!.name, removed: { sessions: 2 } })
})

test('a user without events is not found, and nothing is erased', async () => {
  const project = await emptyService.createProject()
  const sent = { id: 'ada', query: { project: project.name } }
  const { status, body } = await emptyService.call(routes.erasePerson, sent)
  expect([status, body.error]).toEqual([404, 'NOT_FOUND'])
  expect((await emptyService.lakeState.manifest(project.bucket)).tombstones).toEqual([])
})

test('a user who has replays and no events is erased too', async () => {
  const project = await emptyService.createProject()
  const recording = await newRecording(emptyService, project)
  await emptyService.replays.uploads.start({ ...recording, user_id: 'ada', origin: undefined })
  const sent = { id: 'ada', query: { project: project.name } }
  expect((await emptyService.call(routes.erasePerson, sent)).status).toBe(202)
  expect(await emptyService.replays.ofPerson.find(project, ['ada'])).toEqual([])
})

test('a replay that begins while the erasure is saved goes with it', async () => {
  const project = await emptyService.createProject()
  const begin = async () => {
    const recording = await newRecording(emptyService, project)
    await emptyService.replays.uploads.start({ ...recording, user_id: 'ada', origin: undefined })
  }
  await begin()
  const { saveManifest } = emptyService.lakeState
  emptyService.lakeState.saveManifest = async manifest => {
    await begin()
    return saveManifest(manifest)
  }
  const sent = { id: 'ada', query: { project: project.name } }
  expect((await emptyService.call(routes.erasePerson, sent)).status).toBe(202)
  emptyService.lakeState.saveManifest = saveManifest
  expect(await emptyService.replays.ofPerson.find(project, ['ada'])).toEqual([])
})

test('a user who has traits and no events is erased too', async () => {
  const project = await emptyService.createProject()
  await emptyService.identify(project.id, [{ user_id: 'ada', traits: { plan: 'pro' }, email_hash: 'hash' }])
  const sent = { id: 'ada', query: { project: project.name } }
  const { status, body } = await emptyService.call(routes.erasePerson, sent)
  expect(status).toBe(202)
  await emptyService.foldIdentities()
  const receipt = await emptyService.call(routes.readErasure, { id: String(body.erasure_id) })
  expect(receipt.body).toMatchObject({ removed: { events: 0, links: 0, profiles: 1 } })
  expect((await emptyService.call(routes.erasePerson, sent)).status).toBe(404)
})

test.each([
  ['the id', { user_id: 'ada' } as { user_id?: string; email?: string }],
  ['an id that leads to it', { user_id: 'anon_00000001' }],
  ['the address', { email: 'Ada@Example.com' }],
])('from the response on, look-ups by %s know nothing of who was erased', async (_, asked) => {
  const project = await emptyService.createProject()
  const other = await emptyService.createProject()
  const email_hash = await emptyService.emails.hash(project.id, 'ada@example.com')
  const ada = { user_id: 'ada', previous_id: 'anon_00000001', traits: { plan: 'pro' }, email_hash }
  await emptyService.identify(project.id, [ada, { ...ada, user_id: 'bob', previous_id: null }])
  await emptyService.identify(other.id, [{ ...ada, previous_id: null }])
  const profiles = async ({ name }: { name: string }) => {
    const body = { project: name, ...asked }
    const found = await Promise.all(
      [routes.eventsLookup, routes.journeyLookup].map(route => emptyService.call(route, { body })),
    )
    return found.map(answer => (answer.body.profiles as { user_id: string }[]).map(each => each.user_id))
  }
  const before = 'email' in asked ? ['ada', 'bob'] : ['ada']
  expect(await profiles(project)).toEqual([before, before])
  const sent = { id: 'ada', query: { project: project.name } }
  expect((await emptyService.call(routes.erasePerson, sent)).status).toBe(202)
  const after = before.filter(id => id !== 'ada')
  expect(await profiles(project)).toEqual([after, after])
  // Another project knows its own user of the same id; the hash of its address has another key.
  expect(await profiles(other)).toEqual(asked.user_id === 'ada' ? [['ada'], ['ada']] : [[], []])
})

test('the receipt of another account, and one that does not exist, are not found', async () => {
  const project = await service.createProject(service.stranger)
  const theirs = await service.erasures.erasePerson([{ project, events: 1, sessions: 1 }], ['u1'])
  for (const id of [theirs, 'era_0123456789abcdef', 'x'.repeat(3_000), '%']) {
    const { status, body } = await service.call(routes.readErasure, { id })
    expect([status, body.error]).toEqual([404, 'NOT_FOUND'])
  }
})

describe('a person of more than 20 ids', () => {
  const IDS = ['u-1', ...Array.from({ length: 24 }, (_, i) => `anon_${String(i).padStart(8, '0')}`)]

  async function linkedPerson() {
    const project = await service.createProject()
    await service.identify(
      project.id,
      IDS.slice(1).map(previous_id => ({ previous_id, user_id: 'u-1' })),
    )
    const call = (query: Record<string, string>) =>
      service.call(routes.erasePerson, { id: 'u-1', query: { project: project.name, ...query } })
    const batches = async () => (await service.lakeState.manifest(project.bucket)).tombstones
    const isErased = async () => (await batches()).some(({ projects }) => projects?.includes(project.id))
    return { call, isErased }
  }

  test.each<Record<string, string>>([{}, { confirm: '24' }, { confirm: '26' }])(
    'is not erased without the number of the ids: %o',
    async query => {
      const { call, isErased } = await linkedPerson()
      const { status, body } = await call(query)
      expect([status, body.error, body.ids]).toEqual([409, 'CONFIRMATION_REQUIRED', IDS.length])
      expect(body.first_ids).toHaveLength(20)
      expect(IDS).toEqual(expect.arrayContaining(body.first_ids as string[]))
      expect(await isErased()).toBe(false)
    },
  )

  test('is listed and counted by a dry run, which erases nothing and needs no confirmation', async () => {
    const { call, isErased } = await linkedPerson()
    const { status, body } = await call({ dry_run: 'true' })
    expect([status, body]).toEqual([
      200,
      { dry_run: true, ids: expect.any(Array), count: IDS.length, events: 2 },
    ])
    expect((body.ids as string[]).toSorted()).toEqual(IDS.toSorted())
    expect(await isErased()).toBe(false)
  })

  test('is erased with their number', async () => {
    const { call, isErased } = await linkedPerson()
    expect((await call({ confirm: String(IDS.length) })).status).toBe(202)
    expect(await isErased()).toBe(true)
  })
})

test.each(['0', '-1', '1.5', 'all', '', '1e99'])('confirm=%s is refused', async confirm => {
  const project = await service.createProject()
  const { status, body } = await service.call(routes.erasePerson, {
    id: 'u-1',
    query: { project: project.name, confirm },
  })
  const message = 'Parameter `confirm` must be a whole number: how many ids the person has.'
  expect([status, body]).toEqual([400, { error: 'MISSING_FIELDS', message }])
})

test.each([
  ['path', { id: 'a/b%2F+c' }, {}],
  ['query', { id: '-' }, { user_id: 'a/b%2F+c' }],
  ['body', { id: '-', body: { user_id: 'a/b%2F+c' } }, {}],
  [
    'body, which wins over the query and the path,',
    { id: 'x', body: { user_id: 'a/b%2F+c' } },
    { user_id: 'y' },
  ],
])('an id with a slash, a percent sign and a plus may stand in the %s', async (_, request, named) => {
  const project = await service.createProject()
  await service.identify(project.id, [{ user_id: 'a/b%2F+c', traits: { plan: 'pro' }, email_hash: 'hash' }])
  const query = { project: project.name, ...named }
  const { status, body } = await service.call(routes.erasePerson, { ...request, query })
  expect(status).toBe(202)
  await service.foldIdentities()
  const receipt = await service.call(routes.readErasure, { id: String(body.erasure_id) })
  expect(receipt.body).toMatchObject({ removed: { profiles: 1 } })
})

test('an empty id in the query or in the body is refused, as is one that is no text', async () => {
  const { name: project } = await service.createProject()
  const requests: [query: Record<string, string>, body?: Record<string, unknown>][] = [
    [{ project, user_id: '' }],
    [{ project }, { user_id: '' }],
    [{ project }, { user_id: 7 }],
    [{ project }, { user_id: ['a'] }],
  ]
  for (const [query, sent] of requests) {
    const request = { id: '-', query, ...(sent && { body: sent }) }
    const { status, body } = await service.call(routes.erasePerson, request)
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
  }
})

test('an id in the body belongs to the project of the caller', async () => {
  const theirs = await service.createProject(service.stranger)
  await service.identify(theirs.id, [{ user_id: 'ada', traits: { plan: 'pro' }, email_hash: 'hash' }])
  const request = { id: '-', query: { project: theirs.id }, body: { user_id: 'ada' } }
  expect((await service.call(routes.erasePerson, request)).status).toBe(404)
  expect((await service.call(routes.erasePerson, { ...request, key: null })).status).toBe(401)
})
