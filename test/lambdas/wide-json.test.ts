import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_JSON_VALUES } from '#schemas/json-depth'
import { MAX_BODY_BYTES, type Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService } from '#test/support/http-service'

/**
 * Bodies of strangers with so many values that their check takes seconds: 520,000 numbers in a list of texts
 * held the service for 4.5 s before anything was counted, and a list of objects for a tool of MCP ended it.
 * The schemas look at every entry of a list, and note what is wrong with each.
 */

const withBody = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, { auth, body }]) => auth !== 'browser' && body !== undefined,
)
/** Their fields are checked by hand, which ends at the first that is wrong, or not looked into. */
const UNBOUNDED = ['track', 'trackBatch', 'checkTrack', 'identify', 'uploadChunk']

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,demo_sessions=-1' })
})
afterAll(() => service.close())

/** The JSON of a body with this text in place of the field, or beside the other fields. */
function withText(body: Record<string, unknown>, field: string, text: string): Buffer {
  return Buffer.from(JSON.stringify({ ...body, [field]: 'HERE' }).replace('"HERE"', () => text))
}

const WIDE = {
  numbers: (count: number) => `[${Array.from({ length: count }, () => 1).join()}]`,
  objects: (count: number) => `[${Array.from({ length: count }, () => '{}').join()}]`,
  names: (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`,
  'lists of lists': (count: number) => `[${Array.from({ length: count / 2 }, () => '[1,[]]').join()}]`,
}

test('all routes with a body bound its values, but those that are known to look at few of them', () => {
  const unbounded = withBody.filter(
    ([, { maxBodyValues = MAX_JSON_VALUES }]) => maxBodyValues > MAX_JSON_VALUES,
  )
  expect(unbounded.map(([name]) => name).toSorted()).toEqual(UNBOUNDED.toSorted())
})

describe.each(withBody.filter(([name]) => !UNBOUNDED.includes(name)))(
  '%s, which has a body,',
  (name, route) => {
    test('refuses it when any of its fields has too many values', async () => {
      const sent = await goodRequest(service, name)
      const body = (sent.body ?? {}) as Record<string, unknown>
      const room = (route.maxBodyBytes ?? MAX_BODY_BYTES) - JSON.stringify(body).length - 100
      for (const field of [...Object.keys(body), 'unknown_field']) {
        for (const [kind, write] of Object.entries(WIDE)) {
          const text = write(MAX_JSON_VALUES + 2)
          if (text.length > room) continue
          const answer = await service.call(route, { ...sent, body: withText(body, field, text) })
          expect([field, kind, answer.status, answer.body.error]).toEqual([field, kind, 400, 'INVALID_BODY'])
          expect(answer.body.message).toMatch(/^The body has more than 10000 values\. /)
        }
      }
    })
  },
)

test('as many values as a body may have are read, whatever else is wrong with them', async () => {
  const { name: project } = await service.createProject()
  const body = withText({ project }, 'metrics', WIDE.numbers(MAX_JSON_VALUES - 3))
  const answer = await service.call(routes.query, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.message).not.toMatch(/values/)
})

/** Smaller bodies have no room for so many fields. */
const withForm = withBody.filter(([, { form, maxBodyBytes }]) => form === true && maxBodyBytes === undefined)

describe.each(withForm)('%s, which takes a form,', (_, route) => {
  const send = (body: string) =>
    service.call(route, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body),
    })

  test.each([
    ['names', (count: number) => Array.from({ length: count }, (_, i) => `${i.toString(36)}=1`).join('&')],
    ['nothing', (count: number) => '&'.repeat(count)],
    ['one name', (count: number) => 'token=1&'.repeat(count)],
  ])('refuses it with too many fields: %s', async (_, write) => {
    const answer = await send(write(MAX_JSON_VALUES + 1))
    expect([answer.status, answer.body.error]).toEqual([400, 'INVALID_BODY'])
    expect(answer.body.message).toMatch(/^The body has more than 10000 values\. /)
    expect((await send(write(MAX_JSON_VALUES - 1))).text).not.toMatch(/values/)
  })
})
