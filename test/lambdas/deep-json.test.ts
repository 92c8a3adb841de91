import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENT_LIMITS } from '#schemas/event'
import { MAX_JSON_DEPTH } from '#schemas/json-depth'
import { MAX_CHUNK_DEPTH } from '#schemas/replays'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newReplay } from '#test/support/replays'

/** JSON of strangers that is so deep that whatever walks it by recursion fails. */

/** As in the issue: 800 KB. */
const DEEP = 400_000
/** JSON.stringify fails at half of it, and the body is small. */
const TOO_DEEP = 10_000
const withBody = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, { auth, body }]) => auth !== 'browser' && body !== undefined,
)

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,demo_sessions=-1' })
})
afterAll(() => service.close())

/** The JSON of a body with lists inside each other in place of the field, or beside the other fields. */
function withLists(body: Record<string, unknown>, field: string, levels: number): Buffer {
  const lists = '['.repeat(levels) + ']'.repeat(levels)
  return Buffer.from(JSON.stringify({ ...body, [field]: 'HERE' }).replace('"HERE"', lists))
}

describe.each(withBody)('%s, which has a body,', (name, route) => {
  test('refuses it when any of its fields is too deep', async () => {
    const sent = await goodRequest(service, name)
    const body = (sent.body ?? {}) as Record<string, unknown>
    const levels = Math.min(TOO_DEEP, (route.maxBodyBytes ?? Infinity) / 2 - 1_000)
    for (const field of [...Object.keys(body), 'unknown_field']) {
      const answer = await service.call(route, { ...sent, body: withLists(body, field, levels) })
      expect([field, answer.status, answer.body.error]).toEqual([field, 400, 'INVALID_BODY'])
      expect(answer.body.message).toMatch(/^The body has more than \d+ objects and lists inside each other\./)
    }
  })
})

test.each([
  ['/query', 'query', 'filters'],
  ['/funnel', 'funnel', 'steps'],
  ['/mcp', 'mcp', 'params'],
] as const)('400,000 lists inside each other are refused by %s', async (_, name, field) => {
  const sent = await goodRequest(service, name)
  const body = withLists(sent.body as Record<string, unknown>, field, DEEP)
  const answer = await service.call(routes[name], { ...sent, body })
  expect([answer.status, answer.body.error]).toEqual([400, 'INVALID_BODY'])
})

test.each([
  ['filters of a query', routes.query, 'filters'],
  ['filters of a step', routes.funnel, 'steps'],
])('%s that are as deep as allowed have a message of their own', async (_, route, field) => {
  const sent = await goodRequest(service, route === routes.query ? 'query' : 'funnel')
  const body = withLists(sent.body as Record<string, unknown>, field, MAX_JSON_DEPTH - 1)
  const answer = await service.call(route, { ...sent, body })
  expect(answer.status).toBe(400)
  expect(answer.body.message).not.toMatch(/inside each other/)
})

describe('events', () => {
  /** The statuses of three requests with properties, or traits, of so many lists inside each other. */
  async function track(levels: number, others: Record<string, unknown>): Promise<number[]> {
    const { project_token: token } = await service.createProject()
    const event = { token, event: 'signup', properties: 'HERE' }
    const links = { token, user_id: 'u1', previous_id: 'anon_0123abcd', traits: 'HERE' }
    const properties = withLists(others, 'a', levels).toString()
    const sent = [
      [routes.track, event],
      [routes.trackBatch, { events: [event] }],
      [routes.identify, links],
    ] as const
    const answers = sent.map(([route, body]) =>
      service.call(route, {
        key: null,
        body: Buffer.from(JSON.stringify(body).replace('"HERE"', properties)),
      }),
    )
    return (await Promise.all(answers)).map(({ status }) => status)
  }

  test.each([
    ['alone', {}],
    ['beside a key that is removed', { inner: [{ email: 'ada@example.com' }] }],
    [
      'beside many others',
      Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key_${i}`, 'x'.repeat(9)])),
    ],
  ])('the deepest properties that fit into 8 KB are stored, %s', async (_, others) => {
    const levels = (EVENT_LIMITS.propertiesBytes - JSON.stringify({ ...others, a: 1 }).length + 1) >> 1
    expect(await track(levels, others)).toEqual([202, 202, 202])
    // One level more has two bytes too much.
    expect(await track(levels + 1, others)).toEqual([400, 400, 400])
    expect(await track(DEEP, others)).toEqual([400, 400, 400])
  })
})

describe('chunks of replays', () => {
  /** A full snapshot of a page with so many elements inside each other, as the recorder writes it. */
  function snapshot(at: number, elements: number): string {
    const open = '{"type":2,"tagName":"div","attributes":{},"id":2,"childNodes":['
    const node = `{"type":0,"id":1,"childNodes":[${open.repeat(elements)}${']}'.repeat(elements)}]}`
    return `[{"type":2,"timestamp":${at},"data":{"node":${node},"initialOffset":{"left":0,"top":0}}}]`
  }

  async function upload(elements: number, isPacked: boolean): Promise<[number, unknown]> {
    const { id, upload: head, started_at } = await newReplay(service, await service.createProject())
    const events = snapshot(started_at, elements)
    const fields = isPacked ? `"gzip":"${gzipSync(events).toString('base64')}"` : `"events":${events}`
    const body = `${JSON.stringify({ ...head, index: 0 }).slice(0, -1)},${fields}}`
    const answer = await service.call(routes.uploadChunk, { key: null, id, body: Buffer.from(body) })
    return [answer.status, answer.body.error]
  }

  test.each([[false], [true]])(
    'the deepest page that a browser parses is stored (gzip: %s)',
    async isPacked => {
      expect(await upload(512, isPacked)).toEqual([202, undefined])
      expect(await upload(MAX_CHUNK_DEPTH / 2 - 4, isPacked)).toEqual([202, undefined])
    },
  )

  test.each([[false], [true]])('a page that is deeper is refused (gzip: %s)', async isPacked => {
    expect(await upload(MAX_CHUNK_DEPTH / 2, isPacked)).toEqual([400, 'INVALID_BODY'])
    expect(await upload(isPacked ? 60_000 : 14_000, isPacked)).toEqual([400, 'INVALID_BODY'])
  })
})
