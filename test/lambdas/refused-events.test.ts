import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

type Refused = { reason: string; events: number; last: string | null; fix: string; hours: unknown[] }

async function refusedOf(id: string): Promise<Refused[]> {
  const { body } = await service.call(routes.readProject, { id })
  return (body.refused as { events: Refused[] }).events
}

test('a site on www whose project has the apex alone reads which origin to add, until it is added', async () => {
  const project = await service.createProject()
  const changed = { allowed_origins: 'https://apex.example' }
  await service.call(routes.updateProject, { id: project.id, body: changed })
  const body = { token: project.project_token, event: 'page_view' }
  const headers = { origin: 'https://www.apex.example' }
  expect((await service.call(routes.track, { key: null, headers, body })).status).toBe(403)
  expect(await refusedOf(project.id)).toEqual([
    {
      reason: 'origin',
      events: 1,
      last: 'https://www.apex.example',
      last_at: expect.any(String),
      fix: expect.stringContaining('add https://www.apex.example to allowed_origins'),
      hours: [{ hour: expect.stringMatching(/:00:00.000Z$/), events: 1 }],
    },
  ])
  const both = { allowed_origins: 'https://apex.example,https://www.apex.example' }
  await service.call(routes.updateProject, { id: project.id, body: both })
  expect(await refusedOf(project.id)).toMatchObject([
    { fix: expect.stringContaining('is in allowed_origins now') },
  ])
})

test('a server with a key that was never valid gets 401, and the owner reads why', async () => {
  // A process without a timer writes five seconds after its last write.
  service.wait(5_000)
  const project = await service.createProject()
  const body = { token: project.project_token, event: 'paid' }
  const sent = await service.call(routes.track, { key: `aak_${'0'.repeat(48)}`, body })
  expect(sent).toMatchObject({ status: 401, body: { error: 'AUTH_REQUIRED' } })
  expect(await refusedOf(project.id)).toMatchObject([{ reason: 'credential', events: 1 }])
})
