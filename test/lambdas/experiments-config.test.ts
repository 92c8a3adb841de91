import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

const ask = (query: Record<string, string>) => service.call(routes.experimentsConfig, { query, key: null })

test('a project token gets the active experiments, which caches keep for 60 s', async () => {
  const { project_token } = await service.createProject()
  const { status, body, headers } = await ask({ token: project_token })
  expect([status, body]).toEqual([200, { experiments: [] }])
  expect(headers.get('cache-control')).toBe('public, max-age=60')
  expect(headers.get('access-control-allow-origin')).toBe('*')
})

test.each([{}, { token: '' }])('a request with %j is refused', async query => {
  const { status, body } = await ask(query as Record<string, string>)
  expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
})

test.each(['aat_', `aat_${'0'.repeat(48)}`, 'x'.repeat(5000), 'ü'])(
  'the unknown token %j is refused',
  async token => {
    const { status, body, headers } = await ask({ token })
    expect([status, body.error, headers.get('cache-control')]).toEqual([401, 'INVALID_TOKEN', 'no-store'])
  },
)

test('the token of a deleted project is refused', async () => {
  const project = await service.createProject()
  await service.projects.remove(project)
  expect((await ask({ token: project.project_token })).status).toBe(401)
})
