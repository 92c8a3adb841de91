import { expect, test } from 'vitest'
import { DAY_MS } from '#core/time'
import { good, NOW, project, trackFunction } from './track-function.ts'

const long = 'x'.repeat(257)

const refusals: [what: string, body: unknown, status: number, code: string][] = [
  ['an empty body', '', 400, 'INVALID_BODY'],
  ['no JSON', '{"token":', 400, 'INVALID_BODY'],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'INVALID_BODY'],
  ['an array', [good], 400, 'INVALID_BODY'],
  ['null', 'null', 400, 'INVALID_BODY'],
  ['more than 1 MiB', `"${'x'.repeat(1_048_575)}"`, 413, 'PAYLOAD_TOO_LARGE'],
  ['no token', { event: 'a' }, 401, 'INVALID_TOKEN'],
  ['a null token', { event: 'a', token: null }, 401, 'INVALID_TOKEN'],
  ['a token that is no text', { event: 'a', token: 5 }, 401, 'INVALID_TOKEN'],
  ['an unknown token', { event: 'a', token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['an unknown token before a bad event', { event: 5, token: 'aat_other' }, 401, 'INVALID_TOKEN'],
  ['no event', { token: 'aat_shop' }, 400, 'MISSING_FIELDS'],
  ['a null event', { ...good, event: null }, 400, 'MISSING_FIELDS'],
  ['an empty event', { ...good, event: '' }, 400, 'MISSING_FIELDS'],
  ['an event that is no text', { ...good, event: 7 }, 400, 'INVALID_EVENT'],
  ['an event of 257 characters', { ...good, event: long }, 400, 'INVALID_EVENT'],
  ['a user_id that is no text', { ...good, user_id: 7 }, 400, 'INVALID_EVENT'],
  ['a user_id of 257 characters', { ...good, user_id: long }, 400, 'INVALID_EVENT'],
  ['a session_id that is no text', { ...good, session_id: {} }, 400, 'INVALID_EVENT'],
  ['a session_id of 257 characters', { ...good, session_id: long }, 400, 'INVALID_EVENT'],
  ['an empty event_id', { ...good, event_id: '' }, 400, 'INVALID_EVENT'],
  ['an event_id of 65 characters', { ...good, event_id: 'x'.repeat(65) }, 400, 'INVALID_EVENT'],
  ['an event_id with a dot', { ...good, event_id: 'a.b' }, 400, 'INVALID_EVENT'],
  ['an event_id with a line end', { ...good, event_id: 'a\n' }, 400, 'INVALID_EVENT'],
  ['an event_id that is no text', { ...good, event_id: 5 }, 400, 'INVALID_EVENT'],
  ['properties in an array', { ...good, properties: [] }, 400, 'INVALID_PROPERTIES'],
  ['properties as text', { ...good, properties: 'a' }, 400, 'INVALID_PROPERTIES'],
  ['properties of 8193 bytes', { ...good, properties: { a: 'é'.repeat(4093) } }, 400, 'INVALID_PROPERTIES'],
  ['a timestamp as text', { ...good, timestamp: '5' }, 400, 'INVALID_TIMESTAMP'],
  ['a timestamp too old', { ...good, timestamp: NOW - 30 * DAY_MS - 1 }, 400, 'INVALID_TIMESTAMP'],
  ['a timestamp too far ahead', { ...good, timestamp: NOW + 300_001 }, 400, 'INVALID_TIMESTAMP'],
  ['an endless timestamp', '{"token":"aat_shop","event":"a","timestamp":1e999}', 400, 'INVALID_TIMESTAMP'],
]

test.each(refusals)('POST /track refuses %s', async (_what, body, status, code) => {
  const { send, packed } = trackFunction()
  const answer = await send('/track', body)
  expect(answer).toMatchObject({ status, body: { error: code, message: expect.any(String) } })
  expect(answer.headers['Access-Control-Allow-Origin']).toBe('*')
  expect(packed).toEqual([])
})

const batchRefusals: [what: string, body: unknown, status: number, code: string, message: RegExp][] = [
  ['no events', {}, 400, 'INVALID_BODY', /events/],
  ['events that are no array', { events: good }, 400, 'INVALID_BODY', /events/],
  ['null events', { events: null }, 400, 'INVALID_BODY', /events/],
  ['an empty batch', { events: [] }, 400, 'INVALID_BODY', /events/],
  ['101 events', { events: Array.from({ length: 101 }, () => ({})) }, 400, 'BATCH_TOO_LARGE', /101.*100/],
  ['an event that is no object', { events: [good, 5] }, 400, 'INVALID_BODY', /events\[1\]/],
  ['two tokens', { events: [good, { ...good, token: 'aat_b' }] }, 400, 'MIXED_TOKENS', /events\[1\]/],
  ['two unknown tokens', { events: [{ token: 'x' }, { token: 'y' }] }, 400, 'MIXED_TOKENS', /events\[1\]/],
  ['a token beside another', { token: 'aat_b', events: [good, {}] }, 400, 'MIXED_TOKENS', /events\[1\]/],
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

const shop = project({ allowed_origins: 'https://shop.example,https://www.shop.example:8443' })

test.each([
  ['https://shop.example', 202],
  ['https://www.shop.example:8443', 202],
  ['https://www.shop.example', 403],
  ['http://shop.example', 403],
  ['null', 403],
])('a project that allows two origins answers %s with %i', async (origin, status) => {
  const answer = await trackFunction({}, [shop]).send('/track', good, { headers: { origin } })
  expect(answer.status).toBe(status)
  if (status === 403) expect(answer.body.error).toBe('FORBIDDEN')
})

test('a request without an Origin is allowed whatever the project allows', async () => {
  expect((await trackFunction({}, [shop]).send('/track', good)).status).toBe(202)
})

test('the origin is checked before the events', async () => {
  const answer = await trackFunction({}, [shop]).send(
    '/track',
    { ...good, event: 5 },
    { headers: { origin: 'https://x.example' } },
  )
  expect(answer.body.error).toBe('FORBIDDEN')
})

test('a fault of ours is a 500 without its text', async () => {
  const { send } = trackFunction({ projects: { byToken: () => Promise.reject(new Error('secret detail')) } })
  const answer = await send('/track', good)
  expect(answer).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
})
