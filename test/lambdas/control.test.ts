import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { countEvents } from '#test/support/count-events'
import { BASE_URL, type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

let names = 0
function newName(): string {
  names += 1
  return `site-${names}`
}

describe('POST /projects', () => {
  test('creates a project that accepts events and reports at once', async () => {
    const name = newName()
    const { status, body } = await service.call(routes.createProject, {
      body: { name, source_scan_id: null },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^proj_[0-9a-f]+$/),
      name,
      project_token: expect.stringMatching(/^aat_[0-9a-f]{48}$/),
      allowed_origins: '*',
      timezone: null,
      display_name: null,
      retention_days: null,
      total_events: 0,
      total_reads: 0,
      first_event_at: null,
      last_event_at: null,
      source_scan_id: null,
      created_at: '2026-11-21T12:00:00.000Z',
      snippet: `<script defer src="${BASE_URL}/tracker.js" data-project="${name}" data-token="${body.project_token}"></script>`,
      snippet_note: expect.stringContaining('allowed_origins'),
      api_example: expect.stringContaining(
        `curl "${BASE_URL}/stats?project=${name}&since=7d" -H "Authorization: Bearer `,
      ),
    })
    const sent = await service.call(routes.track, {
      body: { token: body.project_token, event: 'signup' },
      key: null,
    })
    expect(sent.status).toBe(202)
    expect((await service.call(routes.stats, { query: { project: name } })).status).toBe(200)
  })

  test('returns the existing project of the same name', async () => {
    const name = newName()
    const first = await service.call(routes.createProject, { body: { name } })
    const second = await service.call(routes.createProject, {
      body: { name, allowed_origins: 'https://other.example' },
    })
    expect([second.status, second.body]).toEqual([200, { ...first.body, existing: true }])
  })

  test('stores the origin of an address, and sends no note about open origins', async () => {
    const allowed_origins = 'https://cut.example/path?x=1, shop.cut.example'
    const { body } = await service.call(routes.createProject, { body: { name: newName(), allowed_origins } })
    expect(body.allowed_origins).toBe('https://cut.example,https://shop.cut.example')
    expect(body).not.toHaveProperty('snippet_note')
  })

  test('refuses the primary origin of another project', async () => {
    const allowed_origins = 'https://taken.example'
    await service.call(routes.createProject, { body: { name: newName(), allowed_origins } })
    const { status, body } = await service.call(routes.createProject, {
      body: { name: newName(), allowed_origins },
    })
    expect([status, body.error]).toEqual([409, 'DUPLICATE_ORIGIN'])
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'a b' }, 'name'],
    [{ name: 'a'.repeat(65) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'ok', allowed_origins: 5 }, 'allowed_origins'],
    [{ name: 'ok', allowed_origins: 'ftp://x.example' }, 'allowed_origins'],
    [{ name: 'ok', source_scan_id: 'scan_1' }, 'source_scan_id'],
  ])('refuses %j with a message that names %s', async (fields, field) => {
    const { status, body } = await service.call(routes.createProject, { body: fields })
    expect([status, body.error, body.message]).toEqual([
      400,
      'MISSING_FIELDS',
      expect.stringContaining(field),
    ])
  })
})

describe('GET /projects', () => {
  test('lists the projects of the account, and says that it has an API key', async () => {
    const mine = await service.createProject()
    const theirs = await service.createProject(service.stranger)
    const { body } = await service.call(routes.listProjects)
    const ids = (body.projects as { id: string }[]).map(({ id }) => id)
    expect(ids).toContain(mine.id)
    expect(ids).not.toContain(theirs.id)
    expect(body).toMatchObject({ has_api_key: true, tier: 'pro' })
  })

  test('returns an empty list for an account without projects', async () => {
    const { id } = await service.createProject(service.stranger)
    for (const { id } of await service.projects.list(service.stranger.id))
      await service.projects.remove({ id })
    const { body } = await service.call(routes.listProjects, { key: service.strangersKey })
    expect([id.length > 0, body.projects]).toEqual([true, []])
  })
})

test('GET /projects/{id} returns the numbers of events and reads, in total and today, and the times of the first and last event', async () => {
  const project = await service.createProject()
  await countEvents(
    service.usage,
    { project_id: project.id, day: '2026-11-20', events: 5 },
    { project_id: project.id, day: '2026-11-21', events: 3 },
  )
  await service.call(routes.stats, { query: { project: project.name } })
  const { body } = await service.call(routes.readProject, { id: project.name })
  expect(body).toMatchObject({
    id: project.id,
    total_events: 8,
    total_reads: 1,
    first_event_at: '2026-11-20T00:00:00.000Z',
    last_event_at: '2026-11-21T00:00:00.000Z',
    usage_today: { event_count: 3, read_count: 1 },
    project: { id: project.id, name: project.name },
  })
})

describe('PATCH /projects/{id}', () => {
  test('renames a project without events, and frees the old name', async () => {
    const { id, name } = await service.createProject()
    const renamed = newName()
    const { status, body } = await service.call(routes.updateProject, { id: name, body: { name: renamed } })
    expect([status, body.id, body.name]).toEqual([200, id, renamed])
    expect((await service.call(routes.createProject, { body: { name } })).status).toBe(201)
  })

  test('refuses to rename a project with events', async () => {
    const { id } = await service.createProject()
    await countEvents(service.usage, { project_id: id, day: '2026-11-21', events: 1 })
    const { status, body } = await service.call(routes.updateProject, { id, body: { name: newName() } })
    expect([status, body.error]).toEqual([409, 'NAME_LOCKED'])
  })

  test('sets a display name of 64 code points; the name stays, and an empty text takes it away (U129)', async () => {
    const { id, name } = await service.createProject()
    const title = `Café 東京 ${'🛒'.repeat(56)}`
    const change = (display_name: string) =>
      service.call(routes.updateProject, { id: name, body: { display_name } })
    expect((await change(title)).body).toMatchObject({ id, name, display_name: title })
    const { body } = await service.call(routes.readProject, { id: name })
    expect(body).toMatchObject({ name, display_name: title, project: { id, name } })
    expect((await change('')).body).toMatchObject({ name, display_name: null })
  })

  test('refuses the name of another project', async () => {
    const [one, other] = [await service.createProject(), await service.createProject()]
    const { status, body } = await service.call(routes.updateProject, {
      id: one.id,
      body: { name: other.name },
    })
    expect([status, body.error]).toEqual([409, 'NAME_EXISTS'])
  })

  test.each([
    [{}, 'at least one'],
    [{ name: null, unknown: 1 }, 'at least one'],
    [{ display_name: 'a'.repeat(65) }, 'display_name'],
    [{ display_name: 'Shop\u202egnp' }, 'display_name'],
    [{ display_name: 'Shop\u0007' }, 'display_name'],
    [{ display_name: ' Shop' }, 'display_name'],
    [{ display_name: 1 }, 'display_name'],
    [{ link_domains: 'a.example' }, 'link_domains'],
    [{ link_domains: ['https://a.example'] }, 'link_domains'],
    [{ link_domains: Array(21).fill('a.example') }, 'link_domains'],
  ])('refuses %j with a message that names %s', async (body, text) => {
    const { id } = await service.createProject()
    const response = await service.call(routes.updateProject, { id, body })
    expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(response.body.message).toContain(text)
  })
})

test('DELETE /projects/{id} disables the token at once and frees the name; a second DELETE finds nothing', async () => {
  const { id, name, project_token: token } = await service.createProject()
  const deleted = await service.call(routes.deleteProject, { id: name })
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true, deleted: id }])
  const sent = await service.call(routes.track, { body: { token, event: 'signup' } })
  expect([sent.status, sent.body.error]).toEqual([401, 'INVALID_TOKEN'])
  expect((await service.call(routes.deleteProject, { id })).status).toBe(404)
  expect((await service.call(routes.createProject, { body: { name } })).status).toBe(201)
})
