import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectRecord } from '#schemas/projects'
import { type Deployment, type NewProject, openDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'

/** The account's projects, from their creation to their end. */

let service: Deployment
beforeAll(async () => {
  service = await openDeployment()
})
afterAll(() => service?.close())

async function list(): Promise<ProjectRecord[]> {
  const { projects } = await service.callJson<{ projects: ProjectRecord[] }>('/projects')
  return projects
}

async function refusal(path: string, request: { method?: string; body?: unknown }): Promise<unknown> {
  const response = await service.call(path, request)
  const { error } = (await response.json()) as { error: string }
  return [response.status, error]
}

test('a new project has a token, a snippet with the address of the service, and stands in the list', async () => {
  const project = await service.createProject('new', { allowed_origins: 'https://new.example.com/page' })
  expect(project).toMatchObject({
    id: expect.stringMatching(/^proj_[0-9a-f]{16}$/),
    project_token: expect.stringMatching(/^aat_[0-9a-f]{48}$/),
    allowed_origins: 'https://new.example.com',
    total_events: 0,
  })
  expect(project.snippet).toContain(`${service.publicUrl}/tracker.js`)
  expect(project.snippet).toContain(project.project_token)
  expect(project.api_example).toContain(`${service.publicUrl}/stats?project=${project.name}`)
  expect((await list()).map(({ id }) => id)).toContain(project.id)
})

test('a second project of the same name is the first one', async () => {
  const first = await service.createProject('same')
  const response = await service.call('/projects', { body: { name: first.name } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ id: first.id, existing: true })
})

test('two projects do not share their primary origin', async () => {
  const first = await service.createProject('origin')
  const origin = `https://${first.name}.example.com`
  await service.callJson(`/projects/${first.id}`, { method: 'PATCH', body: { allowed_origins: origin } })
  expect(await refusal('/projects', { body: { name: `${first.name}-2`, allowed_origins: origin } })).toEqual([
    409,
    'DUPLICATE_ORIGIN',
  ])
})

test('a project is read and changed by its id and by its name', async () => {
  const project = await service.createProject('change')
  const renamed = `${project.name}-b`
  await service.callJson(`/projects/${project.id}`, { method: 'PATCH', body: { name: renamed } })
  expect(await service.callJson(`/projects/${renamed}`)).toMatchObject({ id: project.id, name: renamed })
  expect(await refusal(`/projects/${project.name}`, {})).toEqual([404, 'NOT_FOUND'])
  expect(
    await refusal(`/projects/${renamed}`, { method: 'PATCH', body: { allowed_origins: 'ftp://x' } }),
  ).toEqual([400, 'MISSING_FIELDS'])
})

test('its events are counted, and then it keeps its name', async () => {
  const project = await service.createProject('counted')
  expect((await service.send(project, [{ event: 'a' }, { event: 'b' }, { event: 'c' }])).status).toBe(202)
  await service.waitForEvents(project, 3)
  await eventually(async () =>
    expect(await service.callJson(`/projects/${project.id}`)).toMatchObject({
      total_events: 3,
      usage_today: { event_count: 3 },
    }),
  )
  expect(await refusal(`/projects/${project.id}`, { method: 'PATCH', body: { name: 'other-name' } })).toEqual(
    [409, 'NAME_LOCKED'],
  )
})

test('a page of an origin that is not allowed is refused, and servers are not', async () => {
  const project = await service.createProject('origins', { allowed_origins: 'https://a.example.com' })
  const from = (Origin: string) => service.send(project, [{ event: Origin }], { Origin })
  expect((await from('https://b.example.com')).status).toBe(403)
  expect((await from('https://a.example.com')).status).toBe(202)
  expect((await service.send(project, [{ event: 'server' }])).status).toBe(202)
  await service.callJson(`/projects/${project.id}`, {
    method: 'PATCH',
    body: { allowed_origins: 'https://a.example.com,https://b.example.com' },
  })
  // A function may go on for some seconds with the project as it was.
  await eventually(async () => expect((await from('https://b.example.com')).status).toBe(202))
  const stored = await service.waitForEvents(project, 3)
  expect(stored.map(({ event }) => event)).toEqual([
    'https://a.example.com',
    'server',
    'https://b.example.com',
  ])
})

test('a deleted project is gone, and its token with it', async () => {
  const project: NewProject = await service.createProject('deleted')
  expect((await service.send(project, [{ event: 'a' }])).status).toBe(202)
  expect(await service.callJson(`/projects/${project.id}`, { method: 'DELETE' })).toEqual({
    ok: true,
    deleted: project.id,
  })
  expect(await refusal(`/projects/${project.id}`, {})).toEqual([404, 'NOT_FOUND'])
  expect(await refusal(`/stats?project=${project.id}`, {})).toEqual([404, 'NOT_FOUND'])
  expect((await list()).map(({ id }) => id)).not.toContain(project.id)
  await eventually(async () => expect((await service.send(project, [{ event: 'b' }])).status).toBe(401))
})
