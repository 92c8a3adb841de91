import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
let project: Project
beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
})
afterAll(() => service.close())

test('reads whose links are lost answer with a warning that they are partial, until the fold has made them again', async () => {
  await service.identify(project.id, [{ previous_id: 'anon_1', user_id: 'ada' }])
  const read = () => service.call(routes.stats, { query: { project: project.name } })
  for (const key of service.lake.keys('links/')) service.lake.objects.delete(key)
  const { status, body } = await read()
  expect([status, body.message]).toEqual([200, undefined])
  expect(body.warnings).toEqual([expect.stringContaining('The answer is partial')])
  await service.foldIdentities()
  expect((await read()).body.warnings ?? []).not.toContainEqual(expect.stringContaining('partial'))
})
