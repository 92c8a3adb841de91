import { expect, test } from 'vitest'
import type { IdentifyRecord } from '#core/ingest/record'
import { testProject } from '#test/support/account-fixtures'
import { NOW, trackFunction } from './track-function.ts'

const good = { token: 'aat_shop', previous_id: 'anon_0123abcd', user_id: 'u1' }
const BOT = { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }

async function identify(
  body: unknown,
  options: Parameters<ReturnType<typeof trackFunction>['send']>[2] = {},
) {
  const track = trackFunction()
  const response = await track.send('/identify', body, options)
  return { response, records: track.records() as IdentifyRecord[] }
}

test('an identify request is one record, with the time and place of its arrival', async () => {
  const { response, records } = await identify(good)
  expect(response).toMatchObject({ status: 202, body: { ok: true, queued: true } })
  expect(records).toEqual([
    {
      kind: 'identify',
      project_id: 'proj_1',
      account_id: 'acc_1',
      received_at: NOW,
      seq: expect.any(Number),
      previous_id: 'anon_0123abcd',
      user_id: 'u1',
      traits: null,
      email_hash: null,
    },
  ])
})

test('the record has only the keyed hash of an e-mail address, and no other key that contains `email`', async () => {
  const traits = {
    email: '  Ada@Example.COM ',
    plan: 'pro',
    workEmail: 'x@example.com',
    deep: [{ EMAIL_2: 'y@example.com', kept: 1 }],
    email_hash: 'abc',
  }
  const { response, records } = await identify({ ...good, traits })
  expect(response.status).toBe(202)
  expect(records).toMatchObject([
    { email_hash: 'hash of ada@example.com in proj_1', traits: { plan: 'pro', deep: [{ kept: 1 }] } },
  ])
  expect(JSON.stringify(records[0]?.traits)).not.toMatch(/email|@/i)
})

test.each([[5], [''], ['  '], [null], [{}]])('an `email` of %j is no address', async email => {
  const { response, records } = await identify({ ...good, traits: { email } })
  expect(response.status).toBe(202)
  expect(records).toMatchObject([{ email_hash: null, traits: {} }])
})

test('equal ids are accepted with traits, as the tracker sends them for a known user', async () => {
  const { response, records } = await identify({ ...good, user_id: 'anon_0123abcd', traits: { plan: 'pro' } })
  expect(response.status).toBe(202)
  expect(records).toMatchObject([
    { previous_id: 'anon_0123abcd', user_id: 'anon_0123abcd', traits: { plan: 'pro' } },
  ])
})

const long = 'x'.repeat(257)

test.each<[what: string, body: unknown, status: number, code: string]>([
  ['an empty body', '', 400, 'INVALID_BODY'],
  ['an array', [good], 400, 'INVALID_BODY'],
  ['a body that is not JSON', '{"token":', 400, 'INVALID_BODY'],
  ['a body over 1 MiB', `"${'x'.repeat(1_048_575)}"`, 413, 'PAYLOAD_TOO_LARGE'],
  ['no token', { ...good, token: undefined }, 401, 'INVALID_TOKEN'],
  ['an unknown token', { ...good, token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['an unknown token before bad ids', { token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['no previous_id', { ...good, previous_id: undefined }, 400, 'MISSING_FIELDS'],
  ['a null user_id', { ...good, user_id: null }, 400, 'MISSING_FIELDS'],
  ['an empty user_id', { ...good, user_id: '' }, 400, 'MISSING_FIELDS'],
  ['a previous_id that is not a string', { ...good, previous_id: 5 }, 400, 'MISSING_FIELDS'],
  ['a user_id of 257 characters', { ...good, user_id: long }, 400, 'MISSING_FIELDS'],
  ['equal ids without traits', { ...good, user_id: 'anon_0123abcd' }, 400, 'MISSING_FIELDS'],
  ['equal ids with null traits', { ...good, user_id: 'anon_0123abcd', traits: null }, 400, 'MISSING_FIELDS'],
  ['traits that are a list', { ...good, traits: [] }, 400, 'MISSING_FIELDS'],
  ['traits of 8193 bytes', { ...good, traits: { a: 'é'.repeat(4093) } }, 400, 'MISSING_FIELDS'],
])('POST /identify refuses %s', async (_what, body, status, code) => {
  const { response, records } = await identify(body)
  expect(response).toMatchObject({ status, body: { error: code, message: expect.any(String) } })
  expect(records).toEqual([])
})

test('an origin that the project does not allow is refused before the ids are checked', async () => {
  const { send, packed } = trackFunction({}, [testProject({ allowed_origins: 'https://shop.example' })])
  const response = await send(
    '/identify',
    { token: 'aat_shop' },
    { headers: { origin: 'https://x.example' } },
  )
  expect(response).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
  expect(packed).toEqual([])
})

test('a bot gets the usual response, and nothing is stored or counted, whatever it sends', async () => {
  for (const body of [good, { token: 'aat_shop' }]) {
    const { response, records } = await identify(body, { headers: BOT })
    expect([response.status, response.body, records]).toEqual([202, { ok: true, queued: true }, []])
  }
})

test('a server of the account may identify users with the User-Agent of a library', async () => {
  const headers = { 'user-agent': 'python-requests/2.32', 'x-api-key': 'acc_1' }
  expect((await identify(good, { headers })).records).toHaveLength(1)
  expect((await identify(good, { headers: { ...headers, 'x-api-key': 'acc_2' } })).records).toEqual([])
})

test('identify requests count toward the limit of the token', async () => {
  const limits = {
    checkToken: () => ({
      ...{ limit: 1, remaining: 0, resetsAt: NOW + 60_000 },
      exceeded: { message: 'The token has too many requests. Wait a minute.', retryAfter: 60 },
    }),
    checkEvents: () => expect.unreachable('an identify request adds no event'),
  }
  const { send, packed } = trackFunction({ limits })
  expect((await send('/identify', good)).status).toBe(429)
  expect(packed).toEqual([])
})

test.each([
  ['not_anonymous', { previous_id: 'u-1', user_id: 'u-2' }],
  ['shared_id', { previous_id: 'anon_0123abcd', user_id: 'Null' }],
])(
  'a link that is refused as %s gets 202, its traits count, and the id is not stored',
  async (refused, ids) => {
    const { response, records } = await identify({ token: 'aat_shop', ...ids, traits: { plan: 'pro' } })
    expect(response).toMatchObject({ status: 202, body: { ok: true, queued: true } })
    const { user_id } = ids
    expect(records).toMatchObject([{ refused, previous_id: user_id, user_id, traits: { plan: 'pro' } }])
    expect(records[0]).not.toHaveProperty('has_credential')
  },
)
