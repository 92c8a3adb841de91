import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { SHARED_VIEWS } from '#schemas/share-links'
import { goodRequest } from '#test/support/good-requests'
import { bearer, type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** Saved views and share links (docs/api/dashboard.md). */

let service: HttpService
let project: Project
beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
})
afterAll(() => service.close())

/** Creates a link by the API, and returns its id and its token. */
async function newLink(body: Record<string, unknown> = {}, of: Project = project) {
  const created = await service.call(routes.createShareLink, { id: of.id, body })
  expect(created.status).toBe(201)
  const url = String(created.body.url)
  return { id: String(created.body.id), token: url.split('/').at(-1) ?? '', url }
}

describe('saved views', () => {
  test('are listed by name, and a deleted one is gone', async () => {
    const own = await service.createProject()
    for (const name of ['Weekly', 'Funnel', 'Ünïcode']) {
      const saved = await service.call(routes.createSavedView, {
        id: own.name,
        body: { name, query: 'a=b&c' },
      })
      expect(saved).toMatchObject({
        status: 201,
        body: { name, query: 'a=b&c', created_at: service.now() },
      })
    }
    const list = await service.call(routes.listSavedViews, { id: own.id })
    const views = list.body.views as { id: string; name: string }[]
    expect(views.map(({ name }) => name)).toEqual(['Funnel', 'Ünïcode', 'Weekly'])
    const removal = { id: own.id, part: views[0]?.id ?? '' }
    expect(await service.call(routes.deleteSavedView, removal)).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect(await service.call(routes.deleteSavedView, removal)).toMatchObject({
      status: 404,
      body: { error: 'NOT_FOUND' },
    })
    expect((await service.call(routes.listSavedViews, { id: own.id })).body.views).toHaveLength(2)
  })

  test('are at most 100, also when 120 requests come at once', async () => {
    const own = await service.createProject()
    const body = { name: 'One of many', query: 'x'.repeat(2_048) }
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => service.call(routes.createSavedView, { id: own.id, body })),
    )
    const stored = (await service.savedViews.list(own.id)).length
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(stored)
    while ((await service.savedViews.create(own.id, body)) !== null);
    expect(await service.savedViews.list(own.id)).toHaveLength(100)
    const refused = await service.call(routes.createSavedView, { id: own.id, body })
    expect(refused.status).toBe(400)
    expect(refused.body.message).toContain('Remove one')
  })

  test.each([
    ['without a name', { query: '' }],
    ['with an empty name', { name: '', query: '' }],
    ['with a name of 101 characters', { name: 'n'.repeat(101), query: '' }],
    ['with a query of 2,049 characters', { name: 'n', query: 'q'.repeat(2_049) }],
    ['with a line break in the query', { name: 'n', query: 'a\nb' }],
  ])('are refused %s', async (_, body) => {
    expect(await service.call(routes.createSavedView, { id: project.id, body })).toMatchObject({
      status: 400,
      body: { error: 'MISSING_FIELDS' },
    })
  })
})

describe('a share link', () => {
  test('reads the reports of its project under any name of it, and is listed without its token', async () => {
    const { id, token } = await newLink({ label: 'For the board' })
    const read = await service.call(routes.stats, { ...bearer(token), query: { project: 'another name' } })
    expect(read).toMatchObject({ status: 200, body: { project: project.name } })
    const list = await service.call(routes.listShareLinks, { id: project.id })
    const links = list.body.share_links as { id: string }[]
    expect(links.find(link => link.id === id)).toEqual({
      ...{ id, label: 'For the board', views: Object.keys(SHARED_VIEWS), expires_at: null },
      ...{ created_at: service.now(), last_used_at: service.now() },
    })
    expect(list.text).not.toContain(token.slice(-64))
  })

  const shown = new Set<RouteName>(Object.values(SHARED_VIEWS).flat())
  const others = Object.entries<Route>(routes)
    .filter(([name, { auth }]) => auth === 'account' && !shown.has(name as RouteName))
    .map(([name]) => name as RouteName)

  test.each(others)('is refused by %s', async name => {
    const { token } = await newLink()
    const request = await goodRequest(service, name, project.name)
    const { status, body } = await service.call(routes[name], { ...request, ...bearer(token) })
    expect([401, 403]).toContain(status)
    expect(body).not.toHaveProperty('projects')
  })

  test('reads the routes of its views alone', async () => {
    const { token } = await newLink({ views: ['heatmap'] })
    const query = { project: project.name }
    expect((await service.call(routes.heatmap, { ...bearer(token), query })).status).toBe(200)
    expect(await service.call(routes.stats, { ...bearer(token), query })).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN' },
    })
  })

  let linkOfRefusals: { token: string } | undefined
  const funnel = { steps: [{ event: 'a' }, { event: 'b' }] }
  test.each<[string, Route, RequestOptions]>([
    ['groups by user', routes.query, { body: { metrics: ['event_count'], group_by: ['user_id'] } }],
    [
      'groups by session',
      routes.query,
      { body: { metrics: ['event_count'], group_by: ['date', 'session_id'] } },
    ],
    [
      'counts the events of one user',
      routes.query,
      {
        body: {
          metrics: ['event_count'],
          group_by: [],
          filters: [{ field: 'user_id', op: 'eq', value: 'u1' }],
        },
      },
    ],
    ['looks up an address', routes.query, { body: { metrics: ['event_count'], email: 'ada@example.com' } }],
    ['lists the people of a step', routes.funnel, { body: { ...funnel, people_of_step: 1 } }],
    ['lists the people of a cohort', routes.retention, { query: { people_of_cohort: '2026-11-16' } }],
    ['shows its statement', routes.stats, { query: { sql: 'true' } }],
    [
      'filters by timestamp',
      routes.query,
      { body: { filters: [{ field: 'timestamp', op: 'lt', value: 1 }] } },
    ],
    ['begins at a millisecond', routes.query, { body: { date_from: '2026-11-20T10:00:00.123Z' } }],
    ['ends at a time', routes.query, { body: { date_to: '2026-11-20T10:00:00Z' } }],
    ['begins at a time', routes.stats, { query: { since: '2026-11-20T10:00:00Z' } }],
    ['groups by two properties', routes.query, { body: { group_by: ['properties.a', 'properties.b'] } }],
    [
      'groups by date, event and property',
      routes.query,
      { body: { group_by: ['date', 'event', 'properties.a'] } },
    ],
    ['asks for the largest value', routes.query, { body: { metrics: ['max(value)'] } }],
    ['asks for a median', routes.query, { body: { metrics: ['event_count', 'p50(properties.value)'] } }],
    ['counts values', routes.query, { body: { metrics: ['unique(plan)'] } }],
    [
      'asks for a rate',
      routes.query,
      { body: { metrics: ['session_rate({"field":"user_id","op":"eq","value":"u1"})'] } },
    ],
    ...['people', 'sessions'].map((name): [string, Route, RequestOptions] => [
      `counts the ${name} of a condition`,
      routes.query,
      { body: { metrics: [`${name}({"field":"event","op":"eq","value":"signup"})`] } },
    ]),
    ['groups by channel', routes.query, { body: { group_by: ['channel'] } }],
    ['groups by hour', routes.query, { body: { group_by: ['hour'] } }],
    ['breaks a funnel down by source', routes.funnel, { body: { ...funnel, breakdown: 'source' } }],
    ['asks for sources', routes.sources, { query: {} }],
    ['asks for sources of a person', routes.sources, { query: { filter: 'user_id:eq:u1' } }],
    ...[
      { field: 'country', op: 'eq', value: 'DE' },
      { person: { field: 'event', op: 'eq', value: 'signup' } },
      { did: { event: 'signup' } },
      { session: { field: 'is_bounce', op: 'eq', value: true } },
      { field: 'user_id', op: 'eq', value: 'u1' },
      { field: 'session_id', op: 'exists' },
      { field: 'timestamp', op: 'gt', value: 1 },
      { field: 'is_new', op: 'eq', value: true },
      { segment: 'buyers' },
    ].flatMap((where): [string, Route, RequestOptions][] => [
      [
        `has the condition ${JSON.stringify(where)}`,
        routes.stats,
        { query: { where: JSON.stringify(where) } },
      ],
      [`has the condition ${JSON.stringify(where)} in its body`, routes.query, { body: { where } }],
    ]),
    ['counts sessions in a funnel', routes.funnel, { body: { ...funnel, count_by: 'session_id' } }],
  ])('refuses a report that %s', async (_, route, options) => {
    // A project has 100 links at most.
    linkOfRefusals ??= await newLink()
    const { token } = linkOfRefusals
    const named = {
      ...(options.body ? { body: { ...(options.body as object), project: project.name } } : {}),
      ...(options.query ? { query: { ...options.query, project: project.name } } : {}),
    }
    const { status, body } = await service.call(route, { ...bearer(token), ...named })
    expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
  })

  test('shows nothing of what the owner notes about the numbers', async () => {
    await service.call(routes.putProjectContext, {
      body: { project: project.name, goals: ['Sell the firm'] },
    })
    const { token } = await newLink()
    const query = { project: project.name }
    expect((await service.call(routes.stats, { query })).text).toContain('Sell the firm')
    expect((await service.call(routes.stats, { ...bearer(token), query })).text).not.toContain(
      'Sell the firm',
    )
  })

  test('is dead at once when it is deleted, at its end, and when its project is deleted', async () => {
    const own = await service.createProject()
    const read = (token: string) =>
      service.call(routes.stats, { ...bearer(token), query: { project: 'any' } })
    const [deleted, ending, last] = [
      await newLink({}, own),
      await newLink({ expires_at: service.now() + 60_000 }, own),
      await newLink({}, own),
    ]
    expect((await read(deleted.token)).status).toBe(200)
    await service.call(routes.deleteShareLink, { id: own.id, part: deleted.id })
    expect((await read(deleted.token)).status).toBe(401)
    expect((await read(ending.token)).status).toBe(200)
    service.wait(60_000)
    expect((await read(ending.token)).status).toBe(401)
    expect((await read(last.token)).status).toBe(200)
    await service.call(routes.deleteProject, { id: own.id })
    service.wait(5_000)
    expect((await read(last.token)).status).toBe(401)
  })

  test('with a wrong secret, of another form, or of another project is unknown', async () => {
    const { token } = await newLink()
    const other = await service.createProject()
    for (const wrong of [
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
      token.slice(0, -1),
      `aal_${other.id.slice(5)}${token.slice(20)}`,
    ]) {
      expect((await service.call(routes.stats, { ...bearer(wrong), query: { project: 'any' } })).status).toBe(
        401,
      )
    }
  })

  test('is made by a key or a signed-in browser of the account alone', async () => {
    const client = { client_type: 'agent', client_name: null, client_instance_id: null, label: null }
    const scopes = ['projects:write' as const, 'analytics:read' as const]
    const { access_token } = await service.agentSessions.issue(service.owner.id, { ...client, scopes })
    const request = { id: project.id, body: {} }
    expect((await service.call(routes.createShareLink, { ...request, ...bearer(access_token) })).status).toBe(
      403,
    )
    const stranger = await service.accounts.create({
      email: 's@example.com',
      tier: 'pro',
      complimentary: true,
    })
    const key = await service.accounts.issueApiKey(stranger.id)
    expect((await service.call(routes.createShareLink, { ...request, key })).status).toBe(403)
    expect((await service.call(routes.createShareLink, { ...request, key: null })).status).toBe(401)
  })

  test.each([
    ['an unknown view', { views: ['people'] }],
    ['no view', { views: [] }],
    ['an end that is past', { expires_at: 1 }],
    ['a label of 101 characters', { label: 'l'.repeat(101) }],
  ])('with %s is refused', async (_, body) => {
    expect(await service.call(routes.createShareLink, { id: project.id, body })).toMatchObject({
      status: 400,
      body: { error: 'MISSING_FIELDS' },
    })
  })

  test('is read 360 times a minute from one network, kept answers too, and its reads leave no audit entries', async () => {
    const { token } = await newLink()
    const read = () => service.call(routes.stats, { ...bearer(token), query: { project: 'any' } })
    // The first read runs as many statements as it counts. The others get its answer.
    const first = await read()
    const answers = await Promise.all(Array.from({ length: 360 }, read))
    const ofFirst = 360 - answers.filter(({ status }) => status === 200).length
    expect(first.status).toBe(200)
    expect(ofFirst).toBeGreaterThanOrEqual(1)
    expect(ofFirst).toBeLessThanOrEqual(4)
    const refused = await read()
    expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMITED'])
    const audit = await service.call(routes.readAudit, {})
    expect(audit.text).not.toContain('share_link')
  })
})
