import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectRecord } from '#schemas/projects'
import { type Deployment, type NewProject, sharedDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'

/** Projects over HTTP, from their creation to their deletion. */

let service: Deployment
beforeAll(async () => {
  service = await sharedDeployment()
})
afterAll(() => service?.close())

async function listProjects(): Promise<ProjectRecord[]> {
  const { projects } = await service.callJson<{ projects: ProjectRecord[] }>('/projects')
  return projects
}

async function errorOf(path: string, request: { method?: string; body?: unknown }): Promise<unknown> {
  const response = await service.call(path, request)
  const { error } = (await response.json()) as { error: string }
  return [response.status, error]
}

test('a new project has a token and a snippet with the address of the service, and is in the list', async () => {
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
  expect((await listProjects()).map(({ id }) => id)).toContain(project.id)
})

test('the creation of a project with an existing name returns the existing project', async () => {
  const first = await service.createProject('same')
  const response = await service.call('/projects', { body: { name: first.name } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ id: first.id, existing: true })
})

test('two projects cannot have the same primary origin', async () => {
  const first = await service.createProject('origin')
  const origin = `https://${first.name}.example.com`
  await service.callJson(`/projects/${first.id}`, { method: 'PATCH', body: { allowed_origins: origin } })
  expect(await errorOf('/projects', { body: { name: `${first.name}-2`, allowed_origins: origin } })).toEqual([
    409,
    'DUPLICATE_ORIGIN',
  ])
})

test('a project is found by its id and by its current name', async () => {
  const project = await service.createProject('change')
  const renamed = `${project.name}-b`
  await service.callJson(`/projects/${project.id}`, { method: 'PATCH', body: { name: renamed } })
  expect(await service.callJson(`/projects/${renamed}`)).toMatchObject({ id: project.id, name: renamed })
  expect(await errorOf(`/projects/${project.name}`, {})).toEqual([404, 'NOT_FOUND'])
  expect(
    await errorOf(`/projects/${renamed}`, { method: 'PATCH', body: { allowed_origins: 'ftp://x' } }),
  ).toEqual([400, 'MISSING_FIELDS'])
})

test('a project with events has their count, and its name can no longer change', async () => {
  const project = await service.createProject('counted')
  expect((await service.send(project, [{ event: 'a' }, { event: 'b' }, { event: 'c' }])).status).toBe(202)
  await service.waitForEvents(project, 3)
  await eventually(async () =>
    expect(await service.callJson(`/projects/${project.id}`)).toMatchObject({
      total_events: 3,
      usage_today: { event_count: 3 },
    }),
  )
  expect(await errorOf(`/projects/${project.id}`, { method: 'PATCH', body: { name: 'other-name' } })).toEqual(
    [409, 'NAME_LOCKED'],
  )
})

test('events from an origin that is not allowed are rejected, and events without an origin are accepted', async () => {
  const project = await service.createProject('origins', { allowed_origins: 'https://a.example.com' })
  const sendFrom = (Origin: string) => service.send(project, [{ event: Origin }], { Origin })
  expect((await sendFrom('https://b.example.com')).status).toBe(403)
  expect((await sendFrom('https://a.example.com')).status).toBe(202)
  expect((await service.send(project, [{ event: 'server' }])).status).toBe(202)
  await service.callJson(`/projects/${project.id}`, {
    method: 'PATCH',
    body: { allowed_origins: 'https://a.example.com,https://b.example.com' },
  })
  // Functions cache projects for some seconds.
  await eventually(async () => expect((await sendFrom('https://b.example.com')).status).toBe(202))
  const stored = await service.waitForEvents(project, 3)
  expect(stored.map(({ event }) => event)).toEqual([
    'https://a.example.com',
    'server',
    'https://b.example.com',
  ])
})

test('a deleted project is not found, and its token is rejected', async () => {
  const project: NewProject = await service.createProject('deleted')
  expect((await service.send(project, [{ event: 'a' }])).status).toBe(202)
  expect(await service.callJson(`/projects/${project.id}`, { method: 'DELETE' })).toEqual({
    ok: true,
    deleted: project.id,
  })
  expect(await errorOf(`/projects/${project.id}`, {})).toEqual([404, 'NOT_FOUND'])
  expect(await errorOf(`/stats?project=${project.id}`, {})).toEqual([404, 'NOT_FOUND'])
  expect((await listProjects()).map(({ id }) => id)).not.toContain(project.id)
  await eventually(async () => expect((await service.send(project, [{ event: 'b' }])).status).toBe(401))
})
