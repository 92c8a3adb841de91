import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listedHash } from '#core/identity/erasure-feed'
import { routes } from '#schemas/routes'
import { DEFAULT_SCOPES, READ_SCOPES, type Scope } from '#schemas/scopes'
import { ProcessCrashedError } from '#test/support/crashing-state'
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

test('an erasure that is killed after any of its writes goes on when the request is repeated, and its receipt says what was found', async () => {
  let hasTombstone = async () => false
  const killed = await openHttpService({
    reading: {
      engine: {
        // A tombstone hides the events, so reads no longer know the person.
        rows: async ({ text }) => {
          if (await hasTombstone()) return []
          if (text.includes('AS user_activity WHERE')) return [{ events: 2 }]
          return text.includes('AS user_session') ? [{ sessions: 1 }] : []
        },
      },
    },
  })
  try {
    const { client } = killed.state
    const send = client.send.bind(client) as (command: object) => Promise<never>
    let answered = 0
    let repeated = 0
    for (let writes = 0; answered !== 202; writes++) {
      const project = await killed.createProject()
      const before = (await killed.lakeState.manifest(project.bucket)).tombstoneCount
      hasTombstone = async () => (await killed.lakeState.manifest(project.bucket)).tombstoneCount > before
      const sent = { id: 'c3', query: { project: project.name } }
      let left = writes
      const crash = vi.spyOn(client, 'send').mockImplementation((command: object) => {
        if (/^(Put|Update|Delete|BatchWrite)/.test(command.constructor.name)) left -= 1
        return left < 0 ? Promise.reject(new ProcessCrashedError()) : send(command)
      })
      answered = (await killed.call(routes.erasePerson, sent)).status
      crash.mockRestore()
      if (answered === 202) continue
      expect([500, 503]).toContain(answered)
      if (await hasTombstone()) repeated++
      const { status, body } = await killed.call(routes.erasePerson, sent)
      expect([writes, status]).toEqual([writes, 202])
      await killed.foldIdentities()
      const receipt = await killed.call(routes.readErasure, { id: String(body.erasure_id) })
      expect(receipt.body).toMatchObject({ removed: { events: 2, sessions: 1 } })
      // It is over now, so the next request is one for nobody.
      expect((await killed.call(routes.erasePerson, sent)).status).toBe(404)
    }
    expect(repeated).toBeGreaterThan(2)
  } finally {
    await killed.close()
  }
})

describe('what the owner has written about a person', () => {
  async function writtenProject() {
    const project = await service.createProject()
    const { id } = project
    const view = async (name: string, query: string) =>
      expect((await service.call(routes.createSavedView, { id, body: { name, query } })).status).toBe(201)
    await view('Of c3', 'view=overview&f=user_id%3Aeq%3Ac3')
    await view('The page of c3', 'view=people&user=c3')
    await view('Without c3', 'view=pages&f=user_id%3Aneq%3Ac3&range=7d')
    await view('All', 'view=pages')
    const segment = (name: string, body: object) =>
      service.call(routes.putSegment, { id, part: name, body: { ...body } })
    await segment('ada-3f1c', { where: { field: 'country', op: 'eq', value: 'DE' } })
    await segment('others', {
      title: 'Not ada-3f1c',
      where: { not: { field: 'user_id', op: 'in', value: ['c3', 'c4'] } },
    })
    await service.call(routes.createShareLink, { id, body: { label: 'For ada-3f1c' } })
    const annotation = { occurred_at: '2026-11-20', title: 'ada-3f1c moved', note: 'From c3 to ada-3f1c.' }
    await service.call(routes.createAnnotation, { id, body: annotation })
    const context = {
      ...{ project: project.name, goals: ['Keep ada-3f1c'], activation_events: ['ada-3f1c'] },
      glossary: [{ event_name: 'ada-3f1c', term: 'Ada', definition: 'What ada-3f1c does' }],
      annotations: [{ occurred_at: '2026-11-19', title: 'ada-3f1c signed' }],
    }
    expect((await service.call(routes.putProjectContext, { body: context })).status).toBe(200)
    return project
  }

  async function textsOf({ id, name }: { id: string; name: string }) {
    const [views, segments, links, context] = await Promise.all([
      service.call(routes.listSavedViews, { id }),
      service.segments.list(id),
      service.call(routes.listShareLinks, { id }),
      service.call(routes.readProjectContext, { query: { project: name } }),
    ])
    const { goals, activation_events, glossary, annotations } = (context.body.project_context ??
      context.body) as Record<string, object[]>
    return {
      views: (views.body.views as { name: string; query: string }[]).map(each => [each.name, each.query]),
      segments: segments.map(({ name, title, where }) => ({ name, title, where })),
      labels: (links.body.share_links as { label: string }[]).map(({ label }) => label),
      context: { goals, activation_events, glossary, annotations },
    }
  }

  test('loses the ids with the erasure, and the texts of other projects stay', async () => {
    const [project, other] = [await writtenProject(), await writtenProject()]
    const untouched = await textsOf(other)
    await service.identify(project.id, [{ previous_id: 'ada-3f1c', user_id: 'c3' }])
    const sent = { id: 'c3', query: { project: project.name } }
    expect((await service.call(routes.erasePerson, sent)).status).toBe(202)
    expect(await textsOf(project)).toEqual({
      views: [
        ['All', 'view=pages'],
        ['Without c3', 'view=pages&range=7d'],
      ],
      segments: [
        {
          name: 'others',
          title: 'Not erased',
          where: { not: { field: 'user_id', op: 'in', value: ['erased', 'c4'] } },
        },
      ],
      labels: ['For erased'],
      context: {
        goals: ['Keep erased'],
        activation_events: ['ada-3f1c'],
        glossary: [{ event_name: 'ada-3f1c', term: 'Ada', definition: 'What erased does' }],
        annotations: [
          { occurred_at: '2026-11-19', title: 'erased signed' },
          {
            id: expect.any(String),
            occurred_at: '2026-11-20',
            title: 'erased moved',
            note: 'From c3 to erased.',
          },
        ],
      },
    })
    expect(await textsOf(other)).toEqual(untouched)
  })

  test('stays with a dry run', async () => {
    const project = await writtenProject()
    const before = await textsOf(project)
    const query = { project: project.name, dry_run: 'true' }
    expect((await service.call(routes.erasePerson, { id: 'c3', query })).status).toBe(200)
    expect(await textsOf(project)).toEqual(before)
  })
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

describe('the list of erasures', () => {
  const list = (query: Record<string, string>, more: object = {}) =>
    service.call(routes.listErasures, { query, ...more })

  test('has hashes of the ids of who was erased since, and none of who was erased before', async () => {
    const { id, name: project } = await service.createProject()
    await service.identify(id, [{ previous_id: 'anon_00000001', user_id: 'zoe' }])
    expect((await service.call(routes.erasePerson, { id: 'eve', query: { project } })).status).toBe(202)
    service.wait(120_000)
    const { body: first } = await list({ project })
    expect(first).toMatchObject({ project, project_id: id, erasures: [], next_after: null })
    service.wait(1_000)
    expect((await service.call(routes.erasePerson, { id: 'zoe', query: { project } })).status).toBe(202)
    const { body, text } = await list({ project, since: String(first.next_since) })
    const users = ['zoe', 'anon_00000001'].map(user => listedHash(id, user))
    expect(body.erasures).toEqual([
      { erased_until: service.now(), users: expect.arrayContaining(users.toSorted()) },
    ])
    expect(text).not.toMatch(/zoe|anon_/)
    const all = await list({ project, since: '1d' })
    expect(all.body.erasures).toHaveLength(2)
  })

  test('needs the scope exports:read, which the default scopes do not include', async () => {
    const { name: project } = await service.createProject()
    const client = { client_name: null, client_type: 'agent', client_instance_id: null, label: null }
    const session = async (scopes: readonly Scope[]) =>
      (await service.agentSessions.issue(service.owner.id, { ...client, scopes: [...scopes] })).access_token
    const as = async (scopes: readonly Scope[]) => {
      const headers = { Authorization: `Bearer ${await session(scopes)}` }
      return list({ project }, { key: null, headers })
    }
    for (const scopes of [DEFAULT_SCOPES, READ_SCOPES]) {
      const { status, body } = await as(scopes)
      expect([status, body.required_scope]).toEqual([403, 'exports:read'])
    }
    expect((await as(['exports:read'])).status).toBe(200)
  })

  test.each([
    [{ since: 'never' }, 'INVALID_SINCE'],
    [{ since: '39d' }, 'INVALID_SINCE'],
    [{ since: 'x'.repeat(3_000) }, 'INVALID_SINCE'],
    [{ after: '7' }, 'MISSING_FIELDS'],
    [{ after: 'x'.repeat(3_000) }, 'MISSING_FIELDS'],
  ])('refuses %o', async (query, code) => {
    const { name: project } = await service.createProject()
    const { status, body } = await list({ project, ...query })
    expect([status, body.error]).toEqual([400, code])
  })
})
