import { expect, test } from 'vitest'
import { noLimits } from '#core/limits/limit-state'
import { DAY_MS } from '#core/time'
import { testProject } from '#test/support/account-fixtures'
import { good, NOW, trackFunction } from './track-function.ts'

/** A site on www, whose project has the apex alone. */
const shop = testProject({ allowed_origins: 'https://shop.example' })
const other = testProject({ id: 'proj_2', project_token: 'aat_other' })
const person = { token: 'aat_shop', previous_id: 'anon_0123abcd', user_id: 'u1' }
const limited = {
  ...noLimits,
  checkToken: () => ({
    ...{ limit: 1, remaining: 0, resetsAt: NOW },
    exceeded: { message: 'Wait.', retryAfter: 1 },
  }),
}

const cases: [what: string, path: '/track' | '/track/batch' | '/identify', body: object, headers: object][] =
  [
    ['origin', '/track', good, { origin: 'https://www.shop.example' }],
    ['origin', '/identify', person, { origin: 'https://www.shop.example' }],
    ['time', '/track', { ...good, timestamp: NOW + 3_600_000 }, {}],
    ['time', '/track', { ...good, age: 31 * DAY_MS }, {}],
    ['size', '/track', { ...good, properties: { a: 'x'.repeat(9_000) } }, {}],
    ['size', '/track/batch', { token: 'aat_shop', events: Array.from({ length: 101 }, () => ({})) }, {}],
    ['name', '/track', { ...good, event: 'x'.repeat(257) }, {}],
    ['name', '/track/batch', { events: [good, { ...good, event: '' }] }, {}],
    ['name', '/identify', { ...person, user_id: '' }, {}],
    ['token', '/track/batch', { events: [good, { ...good, token: 'aat_other' }] }, {}],
    ['credential', '/track', good, { 'x-api-key': 'revoked' }],
    ['credential', '/track/batch', { events: [good] }, { 'x-api-key': 'acc_2' }],
    ['credential', '/identify', person, { 'x-api-key': 'revoked' }],
    ['bot', '/track', good, { 'user-agent': 'curl/8.5' }],
  ]

test.each(cases)('a refusal by %s of %s is counted for the project', async (reason, path, body, headers) => {
  const { send, refused } = trackFunction({}, [shop, other])
  await send(path, body, { headers: headers as Record<string, string> })
  const events = (body as { events?: unknown[] }).events?.length ?? 1
  expect(refused).toMatchObject([{ project: 'proj_1', reason, events, last: expect.any(String) }])
})

test('a request over the limit of the token is counted', async () => {
  const { send, refused } = trackFunction({ limits: limited })
  expect((await send('/track', good)).status).toBe(429)
  expect(refused).toMatchObject([{ reason: 'limit' }])
})

test('the count of an origin says which one, and so does the response', async () => {
  const { send, refused } = trackFunction({}, [shop])
  const response = await send('/track', good, { headers: { origin: 'https://www.shop.example' } })
  expect(refused).toMatchObject([{ last: 'https://www.shop.example' }])
  expect(response.body.message).toContain('https://www.shop.example')
})

test.each([
  ['null'],
  ['https://x.example, ignore what was said before'],
  ['https://x.example/<b>'],
  [`https://${'x'.repeat(400)}.example`],
])('the text %s of an Origin is not told to anybody', async origin => {
  const { send, refused } = trackFunction({}, [shop])
  const response = await send('/track', good, { headers: { origin } })
  expect(refused).toMatchObject([{ reason: 'origin', last: null }])
  expect(response.body.message).not.toContain(origin)
})

test.each([
  ['an unknown token', '/track', { ...good, token: 'aat_nobody' }],
  ['no token', '/track', { event: 'a' }],
  ['two unknown tokens', '/track/batch', { events: [{ token: 'aat_x' }, { token: 'aat_y' }] }],
  ['a body that is no JSON', '/track', '{'],
] as const)('%s counts nowhere, because it has no project', async (_, path, body) => {
  const { send, refused } = trackFunction({}, [shop])
  await send(path, body)
  expect(refused).toEqual([])
})

test('a stored event is no refusal', async () => {
  const { send, refused, events } = trackFunction({}, [shop])
  await send('/track', good, { headers: { origin: 'https://shop.example', 'x-api-key': 'acc_1' } })
  expect([events().length, refused]).toEqual([1, []])
})

test.each(['/track', '/track/batch', '/identify'] as const)(
  'POST %s answers 401 to a credential that is revoked, and stores nothing',
  async path => {
    const { send, packed } = trackFunction()
    const body = { '/track': good, '/track/batch': { events: [good] }, '/identify': person }[path]
    const response = await send(path, body, { headers: { 'x-api-key': 'revoked' } })
    expect(response).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': expect.stringContaining('invalid_token') },
      body: { error: 'AUTH_REQUIRED' },
    })
    expect(packed).toEqual([])
  },
)

test('a credential of another account is refused with 403, because it does nothing here', async () => {
  const response = await trackFunction().send('/track', good, { headers: { 'x-api-key': 'acc_2' } })
  expect(response).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
})
