import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, sharedDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'

/** Gateways decode a path before they choose its route, so such an id cannot stand there everywhere. */
const ID = 'a/b%2F+c d%25'

let service: Deployment
beforeAll(async () => {
  service = await sharedDeployment()
})
afterAll(() => service.close())

test('a person whose id has a slash, percent signs and a plus is found and erased by the query and by the body', async () => {
  const project = await service.createProject('odd-ids')
  await service.send(project, [
    { event: 'page_view', user_id: ID },
    { event: 'page_view', user_id: 'other' },
  ])
  await service.waitForEvents(project, 2)
  const address = `/users/-?project=${project.id}`
  const inQuery = `${address}&dry_run=true&user_id=${encodeURIComponent(ID)}`
  const found = await service.callJson<{ ids: string[] }>(inQuery, { method: 'DELETE' })
  expect(found.ids).toEqual([ID])
  const journey = await service.callJson<{ events: unknown[] }>('/journey', {
    body: { project: project.id, user_id: ID },
  })
  expect(journey.events).toHaveLength(1)

  const erased = await service.call(address, { method: 'DELETE', body: { user_id: ID } })
  expect(erased.status).toBe(202)
  await eventually(async () =>
    expect((await service.events(project)).map(({ user_id }) => user_id)).toEqual(['other']),
  )
  const unknown = await service.call(address, { method: 'DELETE', body: { user_id: 'b%2F+c d%25' } })
  expect(unknown.status).toBe(404)
})
