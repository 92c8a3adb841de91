import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

test('a project reads how many links were refused, by reason; a repeated link is not refused', async () => {
  const project = await service.createProject()
  const read = async () => (await service.call(routes.readProject, { id: project.id })).body.refused
  expect(await read()).toEqual({ links: {}, traits: 0, events: [] })
  const link = { previous_id: 'anon_0123abcd', user_id: 'u1' }
  await service.identify(project.id, [
    link,
    link,
    { ...link, user_id: 'u2' },
    { previous_id: 'u1', user_id: 'anon_0123abcd' },
    { user_id: 'u3', refused: 'not_anonymous' },
    { user_id: 'u4', refused: 'not_anonymous' },
  ])
  const links = { already_linked: 1, loop: 1, not_anonymous: 2 }
  expect(await read()).toEqual({ links, traits: 0, events: [] })
  // Nothing is counted twice when the fold runs again.
  await service.foldIdentities()
  expect(await read()).toEqual({ links, traits: 0, events: [] })
})
