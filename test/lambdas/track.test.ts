import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unavailable } from '#core/errors'
import { createBotClassifier } from '#core/ingest/bots'
import { createSeqSource } from '#core/ingest/ids'
import { type RecordedEvent, type StreamRecord, unpack } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { type TrackServices, trackHandler } from '#lambdas/track/handler'
import { routes } from '#schemas/routes'

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = 86_400_000
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

function project(overrides: Partial<Project> = {}): Project {
  return {
    id: 'proj_1',
    account_id: 'acc_1',
    name: 'shop',
    project_token: 'aat_shop',
    allowed_origins: '*',
    link_domains: [],
    source_scan_id: null,
    bucket: 17,
    has_event_ids: false,
    created_at: '2026-11-01T00:00:00.000Z',
    deleted_at: null,
    ...overrides,
  }
}

/** The function with services that remember what it appended. */
function service(overrides: Partial<TrackServices> = {}, projects: Project[] = [project()]) {
  const packed: Uint8Array[] = []
  const handler = trackHandler({
    stream: {
      append: async records => {
        packed.push(...records)
      },
    },
    projects: { byToken: async token => projects.find(one => one.project_token === token) ?? null },
    country: ip => (ip === '192.0.2.1' ? 'NL' : null),
    countryHeader: null,
    bots: createBotClassifier(),
    accountOfKey: async request => request.headers['x-api-key'] ?? null,
    clock: { now: () => NOW },
    ids: createSeqSource({ random: () => 3 }),
    log: () => {},
    ...overrides,
  })
  const send = async (
    path: '/track' | '/track/batch',
    body: unknown,
    { headers = {}, ip = null }: { headers?: Record<string, string>; ip?: string | null } = {},
  ) => {
    const bytes =
      body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const answer = await handler(path === '/track' ? routes.track : routes.trackBatch, {
      method: 'POST',
      path,
      params: {},
      query: {},
      headers: { 'user-agent': CHROME, ...headers },
      body: bytes,
      ip,
    })
    return { status: answer.status, headers: answer.headers, body: JSON.parse(String(answer.body)) }
  }
  const records = (): StreamRecord[] => packed.map(unpack)
  const events = (): RecordedEvent[] =>
    records().flatMap(record => (record.kind === 'events' ? record.events : []))
  return { send, records, events, packed }
}

const good = { token: 'aat_shop', event: 'signup' }

test('one event is queued, and its record says all that the lake needs', async () => {
  const { send, records } = service()
  const sent = {
    ...good,
    project: 'ignored',
    properties: { plan: 'pro', email: 'a@b.c' },
    user_id: 'u1',
    session_id: 's1',
    timestamp: NOW - 1000,
    event_id: 'e-1',
    unknown: true,
  }
  expect(await send('/track', sent, { ip: '192.0.2.1' })).toMatchObject({
    status: 202,
    body: { ok: true, queued: true },
  })
  expect(records()).toEqual([
    {
      kind: 'events',
      project_id: 'proj_1',
      account_id: 'acc_1',
      received_at: NOW,
      bucket: 17,
      seq: 3 * 2 ** 22,
      country: 'NL',
      events: [
        {
          event: 'signup',
          properties: { plan: 'pro' },
          user_id: 'u1',
          session_id: 's1',
          timestamp: NOW - 1000,
          event_id: 'e-1',
        },
      ],
    },
  ])
})

test('nulls are absent: the timestamp is now, the rest is null', async () => {
  const { send, events } = service()
  const nulls = { properties: null, user_id: null, session_id: null, timestamp: null, event_id: null }
  for (const sent of [good, { ...good, ...nulls }]) {
    expect((await send('/track', sent)).status).toBe(202)
  }
  const bare = { event: 'signup', ...nulls, timestamp: NOW }
  expect(events()).toEqual([bare, bare])
})

test('a batch is one record, and the answer counts what was sent', async () => {
  const { send, records } = service()
  const sent = Array.from({ length: 100 }, (_, i) => ({ ...good, event: `e${i}` }))
  expect(await send('/track/batch', { events: sent })).toMatchObject({
    status: 202,
    body: { ok: true, queued: true, count: 100 },
  })
  expect(records()).toHaveLength(1)
})

test('events without a token take the one beside them', async () => {
  const { send, events } = service()
  const sent = { token: 'aat_shop', events: [{ event: 'a' }, { event: 'b', token: null }, good] }
  expect((await send('/track/batch', sent)).status).toBe(202)
  expect(events()).toHaveLength(3)
})

const long = 'x'.repeat(257)
const lone = JSON.stringify({ ...good, event: '\ud800' })

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
  ['a timestamp too old', { ...good, timestamp: NOW - 30 * DAY - 1 }, 400, 'INVALID_TIMESTAMP'],
  ['a timestamp too far ahead', { ...good, timestamp: NOW + 300_001 }, 400, 'INVALID_TIMESTAMP'],
  ['an endless timestamp', '{"token":"aat_shop","event":"a","timestamp":1e999}', 400, 'INVALID_TIMESTAMP'],
]

test.each(refusals)('POST /track refuses %s', async (_what, body, status, code) => {
  const { send, packed } = service()
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
  const { send, packed } = service()
  expect(await send('/track/batch', body)).toMatchObject({
    status,
    body: { error: code, message: expect.stringMatching(message) },
  })
  expect(packed).toEqual([])
})

const limits: [what: string, fields: Record<string, unknown>, stored: Partial<RecordedEvent>][] = [
  ['an event of 256 characters', { event: '😀'.repeat(128) }, { event: '😀'.repeat(128) }],
  ['ids of 256 characters', { user_id: 'x'.repeat(256), session_id: 'y'.repeat(256) }, {}],
  ['an empty id, as it stands', { user_id: '' }, { user_id: '' }],
  ['an event_id of 64 characters', { event_id: 'aZ09_-'.padEnd(64, 'x') }, {}],
  ['the oldest timestamp', { timestamp: NOW - 30 * DAY }, { timestamp: NOW - 30 * DAY }],
  ['the latest timestamp', { timestamp: NOW + 300_000 }, { timestamp: NOW + 300_000 }],
  ['a fraction of a millisecond, cut off', { timestamp: NOW - 0.5 }, { timestamp: NOW - 1 }],
  ['properties of 8192 bytes', { properties: { a: 'é'.repeat(4092) } }, {}],
]

test.each(limits)('POST /track takes %s', async (_what, fields, stored) => {
  const { send, events } = service()
  expect((await send('/track', { ...good, ...fields })).status).toBe(202)
  expect(events()).toMatchObject([{ ...fields, ...stored }])
})

test('lone surrogates become U+FFFD in names and ids', async () => {
  const { send, events } = service()
  await send('/track', lone)
  await send('/track', { ...good, user_id: 'a\udc00', session_id: '\ud83d\ude00' })
  expect(events()).toMatchObject([{ event: '\ufffd' }, { user_id: 'a\ufffd', session_id: '😀' }])
})

test('of duplicate keys the last counts', async () => {
  const { send, events } = service()
  await send(
    '/track',
    '{"token":"aat_no","token":"aat_shop","event":"a","event":"b","properties":{"k":1,"k":2}}',
  )
  expect(events()).toMatchObject([{ event: 'b', properties: { k: 2 } }])
})

const shop = project({ allowed_origins: 'https://shop.example,https://www.shop.example:8443' })

test.each([
  ['https://shop.example', 202],
  ['https://www.shop.example:8443', 202],
  ['https://www.shop.example', 403],
  ['http://shop.example', 403],
  ['null', 403],
])('a project that allows two origins answers %s with %i', async (origin, status) => {
  const answer = await service({}, [shop]).send('/track', good, { headers: { origin } })
  expect(answer.status).toBe(status)
  if (status === 403) expect(answer.body.error).toBe('FORBIDDEN')
})

test('a request without an Origin is allowed whatever the project allows', async () => {
  expect((await service({}, [shop]).send('/track', good)).status).toBe(202)
})

test('the origin is checked before the events', async () => {
  const answer = await service({}, [shop]).send(
    '/track',
    { ...good, event: 5 },
    { headers: { origin: 'https://x.example' } },
  )
  expect(answer.body.error).toBe('FORBIDDEN')
})

test('a bot gets the same answer, and only a count of it is recorded', async () => {
  const { send, records } = service()
  const headers = { 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2)' }
  const body = { events: [good, { ...good, event: 5, properties: 'bad' }] }
  expect(await send('/track/batch', body, { headers })).toMatchObject({
    status: 202,
    body: { ok: true, queued: true, count: 2 },
  })
  expect(records()).toEqual([
    {
      kind: 'bots',
      project_id: 'proj_1',
      account_id: 'acc_1',
      received_at: NOW,
      category: 'ai_agent',
      actor: 'GPTBot',
      dropped: 2,
    },
  ])
})

test('a bot is refused for its body, its token and its origin like anybody', async () => {
  const headers = { 'user-agent': 'curl/8.5' }
  const { send, packed } = service({}, [shop])
  expect((await send('/track', '{', { headers })).body.error).toBe('INVALID_BODY')
  expect((await send('/track', { token: 'aat_x' }, { headers })).body.error).toBe('INVALID_TOKEN')
  const foreign = { ...headers, origin: 'https://x.example' }
  expect((await send('/track', good, { headers: foreign })).body.error).toBe('FORBIDDEN')
  expect(packed).toEqual([])
})

test.each([
  ['the key of the project’s account', 'acc_1', 'events'],
  ['the key of another account', 'acc_2', 'bots'],
])('a library that sends %s is taken as %s, %s', async (_what, key, kind) => {
  const { send, records } = service()
  const headers = { 'user-agent': 'python-requests/2.31', 'x-api-key': key }
  expect((await send('/track', good, { headers })).status).toBe(202)
  expect(records().map(record => record.kind)).toEqual([kind])
})

test('with a key of the account the events of a library are checked', async () => {
  const headers = { 'user-agent': 'python-requests/2.31', 'x-api-key': 'acc_1' }
  expect((await service().send('/track', { ...good, event: 5 }, { headers })).body.error).toBe(
    'INVALID_EVENT',
  )
})

test.each([
  [{ 'cf-ipcountry': 'de' }, '192.0.2.1', 'DE'],
  [{ 'cf-ipcountry': 'XX' }, '192.0.2.1', null],
  [{ 'cf-ipcountry': 'T1' }, '192.0.2.1', null],
  [{ 'cf-ipcountry': 'Germany' }, '192.0.2.1', null],
  [{}, '192.0.2.1', 'NL'],
  [{}, '198.51.100.1', null],
  [{}, null, null],
])('with headers %j and address %s the country is %s', async (headers, ip, country) => {
  const { send, records } = service({ countryHeader: 'cf-ipcountry' })
  await send('/track', good, { headers: headers as Record<string, string>, ip })
  expect(records()).toMatchObject([{ country }])
})

test('a country header is not looked at unless the settings name it', async () => {
  const { send, records } = service()
  await send('/track', good, { headers: { 'cf-ipcountry': 'DE' } })
  expect(records()).toMatchObject([{ country: null }])
})

test('the answer waits for the stream, and what it refuses is answered 503 with Retry-After', async () => {
  const gate = Promise.withResolvers<void>()
  const { send } = service({ stream: { append: () => gate.promise } })
  let answered = false
  const answer = send('/track', good).finally(() => {
    answered = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(answered).toBe(false)
  gate.reject(unavailable('the disk is full', 5))
  expect(await answer).toMatchObject({
    status: 503,
    body: { error: 'UNAVAILABLE' },
    headers: { 'Retry-After': '5' },
  })
})

test('a fault of ours is a 500 without its text', async () => {
  const { send } = service({ projects: { byToken: () => Promise.reject(new Error('secret detail')) } })
  const answer = await send('/track', good)
  expect(answer).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
})

test('records never pass 900,000 bytes, and the events in them keep their order and their places', async () => {
  const { send, records, packed, events } = service()
  // Text that does not compress: 100 events of nearly 8 kB.
  const noise = (i: number) =>
    Buffer.from(fc.sample(fc.uint8Array({ minLength: 5900, maxLength: 5900 }), { seed: i, numRuns: 1 })[0]!)
  const sent = Array.from({ length: 100 }, (_, i) => ({
    ...good,
    event: `${i}`.padEnd(200, '\u20ac'),
    user_id: noise(i).toString('base64').slice(0, 250),
    session_id: noise(i + 1000)
      .toString('base64')
      .slice(0, 250),
    properties: { noise: noise(i).toString('base64') },
  }))
  expect((await send('/track/batch', { events: sent })).status).toBe(202)
  for (const record of packed) expect(record.length).toBeLessThanOrEqual(900_000)
  expect(events().map(event => event.properties)).toEqual(sent.map(event => event.properties))
  let next = 3 * 2 ** 22
  for (const record of records()) {
    if (record.kind !== 'events') throw new Error('only events were sent')
    expect(record.seq).toBe(next)
    next += record.events.length
  }
})
