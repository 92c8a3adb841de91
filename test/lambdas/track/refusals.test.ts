import { expect, test } from 'vitest'
import { DAY_MS } from '#core/time'
import { testProject } from '#test/support/account-fixtures'
import { good, NOW, trackFunction } from './track-function.ts'

const long = 'x'.repeat(257)

const refusals: [what: string, body: unknown, status: number, code: string][] = [
  ['an empty body', '', 400, 'INVALID_BODY'],
  ['a body that is not JSON', '{"token":', 400, 'INVALID_BODY'],
  ['a body that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'INVALID_BODY'],
  ['an array', [good], 400, 'INVALID_BODY'],
  ['null', 'null', 400, 'INVALID_BODY'],
  ['a body over 1 MiB', `"${'x'.repeat(1_048_575)}"`, 413, 'PAYLOAD_TOO_LARGE'],
  ['no token', { event: 'a' }, 401, 'INVALID_TOKEN'],
  ['a null token', { event: 'a', token: null }, 401, 'INVALID_TOKEN'],
  ['a token that is not a string', { event: 'a', token: 5 }, 401, 'INVALID_TOKEN'],
  ['an unknown token', { event: 'a', token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['an unknown token before a bad event', { event: 5, token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['no event', { token: 'aat_shop' }, 400, 'MISSING_FIELDS'],
  ['a null event', { ...good, event: null }, 400, 'MISSING_FIELDS'],
  ['an empty event', { ...good, event: '' }, 400, 'MISSING_FIELDS'],
  ['an event that is not a string', { ...good, event: 7 }, 400, 'INVALID_EVENT'],
  ['an event of 257 characters', { ...good, event: long }, 400, 'INVALID_EVENT'],
  ['a user_id that is not a string', { ...good, user_id: 7 }, 400, 'INVALID_EVENT'],
  ['a user_id of 257 characters', { ...good, user_id: long }, 400, 'INVALID_EVENT'],
  ['a session_id that is not a string', { ...good, session_id: {} }, 400, 'INVALID_EVENT'],
  ['a session_id of 257 characters', { ...good, session_id: long }, 400, 'INVALID_EVENT'],
  ['an empty event_id', { ...good, event_id: '' }, 400, 'INVALID_EVENT'],
  ['an event_id of 65 characters', { ...good, event_id: 'x'.repeat(65) }, 400, 'INVALID_EVENT'],
  ['an event_id with a dot', { ...good, event_id: 'a.b' }, 400, 'INVALID_EVENT'],
  ['an event_id with a line end', { ...good, event_id: 'a\n' }, 400, 'INVALID_EVENT'],
  ['an event_id that is not a string', { ...good, event_id: 5 }, 400, 'INVALID_EVENT'],
  ['properties in an array', { ...good, properties: [] }, 400, 'INVALID_PROPERTIES'],
  ['properties as a string', { ...good, properties: 'a' }, 400, 'INVALID_PROPERTIES'],
  ['properties of 8193 bytes', { ...good, properties: { a: 'é'.repeat(4093) } }, 400, 'INVALID_PROPERTIES'],
  ['a timestamp as a string', { ...good, timestamp: '5' }, 400, 'INVALID_TIMESTAMP'],
  ['a timestamp too old', { ...good, timestamp: NOW - 30 * DAY_MS - 1 }, 400, 'INVALID_TIMESTAMP'],
  ['a timestamp too far ahead', { ...good, timestamp: NOW + 300_001 }, 400, 'INVALID_TIMESTAMP'],
  ['an age as a string', { ...good, age: '5' }, 400, 'INVALID_TIMESTAMP'],
  ['an age in the future', { ...good, age: -1 }, 400, 'INVALID_TIMESTAMP'],
  ['an age of more than 30 days', { ...good, age: 30 * DAY_MS + 1 }, 400, 'INVALID_TIMESTAMP'],
  ['an age beside a timestamp', { ...good, age: 5, timestamp: NOW }, 400, 'INVALID_TIMESTAMP'],
  ['an infinite timestamp', '{"token":"aat_shop","event":"a","timestamp":1e999}', 400, 'INVALID_TIMESTAMP'],
]

test.each(refusals)('POST /track refuses %s', async (_what, body, status, code) => {
  const { send, packed } = trackFunction()
  const response = await send('/track', body)
  expect(response).toMatchObject({ status, body: { error: code, message: expect.any(String) } })
  expect(response.headers['Access-Control-Allow-Origin']).toBe('*')
  expect(packed).toEqual([])
})

const batchRefusals: [what: string, body: unknown, status: number, code: string, message: RegExp][] = [
  ['a body without `events`', {}, 400, 'INVALID_BODY', /events/],
  ['`events` that is not an array', { events: good }, 400, 'INVALID_BODY', /events/],
  ['`events` that is null', { events: null }, 400, 'INVALID_BODY', /events/],
  ['an empty batch', { events: [] }, 400, 'INVALID_BODY', /events/],
  ['101 events', { events: Array.from({ length: 101 }, () => ({})) }, 400, 'BATCH_TOO_LARGE', /101.*100/],
  ['an event that is not an object', { events: [good, 5] }, 400, 'INVALID_BODY', /events\[1\]/],
  ['two tokens', { events: [good, { ...good, token: 'aat_b' }] }, 400, 'MIXED_TOKENS', /events\[1\]/],
  ['two unknown tokens', { events: [{ token: 'x' }, { token: 'y' }] }, 400, 'MIXED_TOKENS', /events\[1\]/],
  [
    'a token beside `events` that differs',
    { token: 'aat_b', events: [good, {}] },
    400,
    'MIXED_TOKENS',
    /events\[1\]/,
  ],
  ['a missing token', { events: [good, { event: 'a' }] }, 401, 'INVALID_TOKEN', /events\[1\]/],
  ['an unknown token', { events: [{ token: 'aat_x' }] }, 401, 'INVALID_TOKEN', /token/],
  [
    'a bad third event',
    { events: [good, good, { ...good, event: '' }] },
    400,
    'MISSING_FIELDS',
    /events\[2\]/,
  ],
  [
    'bad properties',
    { events: [good, { ...good, properties: 1 }] },
    400,
    'INVALID_PROPERTIES',
    /events\[1\]/,
  ],
]

test.each(batchRefusals)('POST /track/batch refuses %s', async (_what, body, status, code, message) => {
  const { send, packed } = trackFunction()
  expect(await send('/track/batch', body)).toMatchObject({
    status,
    body: { error: code, message: expect.stringMatching(message) },
  })
  expect(packed).toEqual([])
})

const shop = testProject({ allowed_origins: 'https://shop.example,https://www.shop.example:8443' })

test.each([
  ['https://shop.example', 202],
  ['https://www.shop.example:8443', 202],
  ['https://www.shop.example', 403],
  ['http://shop.example', 403],
  ['null', 403],
])('a project that allows two origins responds to %s with %i', async (origin, status) => {
  const response = await trackFunction({}, [shop]).send('/track', good, { headers: { origin } })
  expect(response.status).toBe(status)
  if (status === 403) expect(response.body.error).toBe('FORBIDDEN')
})

test('a request without an Origin is accepted by every project', async () => {
  expect((await trackFunction({}, [shop]).send('/track', good)).status).toBe(202)
})

test('a bad origin is reported before a bad event', async () => {
  const response = await trackFunction({}, [shop]).send(
    '/track',
    { ...good, event: 5 },
    { headers: { origin: 'https://x.example' } },
  )
  expect(response.body.error).toBe('FORBIDDEN')
})

test('an unexpected error is a 500 without its text', async () => {
  const { send } = trackFunction({ projects: { byToken: () => Promise.reject(new Error('secret detail')) } })
  const response = await send('/track', good)
  expect(response).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } })
  expect(JSON.stringify(response.body)).not.toContain('secret')
})
