import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOpenExports } from '#core/exports/open-exports'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import { DEFAULT_SCOPES, READ_SCOPES, SCOPES } from '#schemas/scopes'
import { bearer, type HttpService, openHttpService } from '#test/support/http-service'

/** What holds for every row is tested in routes.test.ts and credentials.test.ts. */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

const create = (project: Project, body: object = {}) =>
  service.call(routes.createExport, { body: { project: project.name, ...body } })

async function tokenOf(scopes: readonly string[]): Promise<string> {
  const client = { client_type: 'agent', client_name: null, client_instance_id: null, label: null } as const
  const issued = await service.agentSessions.issue(service.owner.id, { ...client, scopes: scopes as never })
  return issued.access_token
}

test('an export is queued with its period, and a job is sent for it', async () => {
  const project = await service.createProject()
  const { status, body } = await create(project, {
    since: '7d',
    until: '2026-11-20',
    datasets: 'people,events',
  })
  expect([status, body]).toEqual([
    202,
    {
      ...{ id: expect.stringMatching(/^exp_[0-9a-f]{24}$/), project: project.name, project_id: project.id },
      ...{ status: 'queued', message: null, period: null, datasets: ['events', 'people'] },
      ...{ events: 0, bytes: 0, files: [], days: [], created_at: service.now(), finished_at: null },
      expires_at: service.now() + 7 * 86_400_000,
      erasures_since: new Date(service.now()).toISOString(),
      caveats: [expect.stringContaining('GET /erasures'), expect.any(String)],
    },
  ])
  expect(service.exportJobs.at(-1)).toEqual({ kind: 'export', account_id: service.owner.id, id: body.id })
})

test.each([
  [{ since: 'yesterday' }, 'INVALID_SINCE', '`since` must be'],
  [{ since: '2026-11-01T10:00Z' }, 'INVALID_SINCE', 'counts whole dates'],
  [{ until: '2026-02-30' }, 'INVALID_SINCE', '`until` must be'],
  [{ since: '3651d' }, 'INVALID_SINCE', 'at most `3650d`'],
  [{ since: '2027-01-01' }, 'INVALID_SINCE', 'in the future'],
  [{ since: '2026-11-10', until: '2026-11-09' }, 'MISSING_FIELDS', '`until` is before `since`'],
  [{ since: '7d', date_from: '7d' }, 'MISSING_FIELDS', 'another name of `since`'],
  [{ until: 7 }, 'INVALID_SINCE', '`until` must be'],
  [{ datasets: 'events,clicks' }, 'MISSING_FIELDS', 'some of events, sessions, people, views'],
  [{ datasets: '' }, 'MISSING_FIELDS', 'some of events, sessions, people, views'],
])('a request with %j is refused with what is accepted, and begins nothing', async (body, code, message) => {
  const project = await service.createProject()
  const { status, body: refused } = await create(project, body)
  expect([status, refused.error, refused.message]).toEqual([400, code, expect.stringContaining(message)])
  expect((await create(project)).status).toBe(202)
})

test.each([
  ['before', 'exp_1'],
  ['before', '../../x'],
  ['limit', '101'],
  ['limit', '0'],
])('a list with %s=%s is refused with what is accepted', async (name, value) => {
  const project = await service.createProject()
  const query = { project: project.name, [name]: value }
  const { status, body } = await service.call(routes.listExports, { query })
  expect([status, body.error, body.message]).toEqual([
    ...[400, 'MISSING_FIELDS'],
    expect.stringContaining(`\`${name}\``),
  ])
})

test('the list pages through the exports of a project, newest first', async () => {
  const project = await service.createProject()
  const open = createOpenExports({ ...service.state, clock: service })
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const { body } = await create(project)
    ids.unshift(String(body.id))
    await open.release({ id: String(body.id) })
    service.wait(1_000)
  }
  const page = (before?: string) =>
    service.call(routes.listExports, {
      query: { project: project.name, limit: '2', ...(before !== undefined && { before }) },
    })
  const first = (await page()).body
  const second = (await page(String(first.next_before))).body
  expect([first.exports, second.exports].flat().map(each => (each as { id: string }).id)).toEqual(ids)
  expect([first.next_before, second.next_before]).toEqual([ids[1], null])
})

test('a body over 16 KB is refused', async () => {
  const project = await service.createProject()
  expect((await create(project, { since: '7d', note: 'x'.repeat(17_000) })).status).toBe(413)
})

test('a second export of a project waits for the first one', async () => {
  const project = await service.createProject()
  const { body } = await create(project)
  const refused = await create(project)
  expect([refused.status, refused.body]).toEqual([
    429,
    expect.objectContaining({ error: 'RATE_LIMITED', reason: 'export_running' }),
  ])
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await service.call(routes.deleteExport, { id: String(body.id) })).status).toBe(200)
  expect((await create(project)).status).toBe(202)
})

test('nobody sees or deletes the export of another account, or of a deleted project', async () => {
  const project = await service.createProject()
  const id = String((await create(project)).body.id)
  for (const route of [routes.readExport, routes.downloadExport, routes.deleteExport]) {
    const options = { id, part: 'events-0001.parquet' }
    expect((await service.call(route, { ...options, key: service.strangersKey })).status).toBe(404)
  }
  expect((await service.call(routes.readExport, { id })).status).toBe(200)
  expect((await service.call(routes.deleteProject, { id: project.id })).status).toBe(200)
  const gone = await service.call(routes.readExport, { id })
  expect([gone.status, gone.body.error]).toEqual([404, 'NOT_FOUND'])
})

test('only a session with exports:read, which nobody gets without asking, may begin one', async () => {
  const project = await service.createProject()
  const body = { project: project.name }
  for (const scopes of [DEFAULT_SCOPES, READ_SCOPES, SCOPES.filter(scope => scope !== 'exports:read')]) {
    expect(scopes).not.toContain('exports:read')
    const refused = await service.call(routes.createExport, { ...bearer(await tokenOf(scopes)), body })
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.objectContaining({ error: 'FORBIDDEN', required_scope: 'exports:read' }),
    ])
  }
  const admitted = await service.call(routes.createExport, {
    ...bearer(await tokenOf(['exports:read'])),
    body,
  })
  expect(admitted.status).toBe(202)
})

test('a file of an export that is not done, or of another name, is not found', async () => {
  const project = await service.createProject()
  const id = String((await create(project)).body.id)
  for (const part of ['events-0001.parquet', '..', '../../x'])
    expect((await service.call(routes.downloadExport, { id, part })).status).toBe(404)
})
