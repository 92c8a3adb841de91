import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unavailable } from '#core/errors'
import type { RecordedEvent } from '#core/ingest/record'
import { DAY_MS } from '#core/time'
import { good, NOW, trackFunction } from './track-function.ts'

test('one event becomes one record with all fields that the lake needs', async () => {
  const { send, records } = trackFunction()
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

test('a null counts as absent: the timestamp becomes now, the other fields null', async () => {
  const { send, events } = trackFunction()
  const nulls = { properties: null, user_id: null, session_id: null, timestamp: null, event_id: null }
  for (const sent of [good, { ...good, ...nulls }]) {
    expect((await send('/track', sent)).status).toBe(202)
  }
  const bare = { event: 'signup', ...nulls, timestamp: NOW }
  expect(events()).toEqual([bare, bare])
})

test('a batch becomes one record, and the response has the number of events sent', async () => {
  const { send, records } = trackFunction()
  const sent = Array.from({ length: 100 }, (_, i) => ({ ...good, event: `e${i}` }))
  expect(await send('/track/batch', { events: sent })).toMatchObject({
    status: 202,
    body: { ok: true, queued: true, count: 100 },
  })
  expect(records()).toHaveLength(1)
})

test('events without a token take the token beside `events`', async () => {
  const { send, events } = trackFunction()
  const sent = { token: 'aat_shop', events: [{ event: 'a' }, { event: 'b', token: null }, good] }
  expect((await send('/track/batch', sent)).status).toBe(202)
  expect(events()).toHaveLength(3)
})

const limits: [what: string, fields: Record<string, unknown>, stored: Partial<RecordedEvent>][] = [
  ['an event of 256 characters', { event: '😀'.repeat(128) }, { event: '😀'.repeat(128) }],
  ['ids of 256 characters', { user_id: 'x'.repeat(256), session_id: 'y'.repeat(256) }, {}],
  ['an empty id, unchanged', { user_id: '' }, { user_id: '' }],
  ['an event_id of 64 characters', { event_id: 'aZ09_-'.padEnd(64, 'x') }, {}],
  ['the oldest timestamp', { timestamp: NOW - 30 * DAY_MS }, { timestamp: NOW - 30 * DAY_MS }],
  ['the latest timestamp', { timestamp: NOW + 300_000 }, { timestamp: NOW + 300_000 }],
  ['a fraction of a millisecond, cut off', { timestamp: NOW - 0.5 }, { timestamp: NOW - 1 }],
  ['properties of 8192 bytes', { properties: { a: 'é'.repeat(4092) } }, {}],
]

test.each(limits)('POST /track accepts %s', async (_what, fields, stored) => {
  const { send, events } = trackFunction()
  expect((await send('/track', { ...good, ...fields })).status).toBe(202)
  expect(events()).toMatchObject([{ ...fields, ...stored }])
})

test.each([
  ['an hour before the arrival', { age: 3_600_000 }, NOW - 3_600_000],
  ['30 days before the arrival', { age: 30 * DAY_MS }, NOW - 30 * DAY_MS],
  ['now, for an age of 0', { age: 0 }, NOW],
  ['the timestamp, beside an age of null', { age: null, timestamp: NOW - 5 }, NOW - 5],
])('the time of an event is %s', async (_what, fields, timestamp) => {
  const { send, events } = trackFunction()
  expect((await send('/track/batch', { events: [{ ...good, ...fields }] })).status).toBe(202)
  expect(events()).toMatchObject([{ timestamp }])
  expect(events()[0]).not.toHaveProperty('age')
})

test('lone surrogates become U+FFFD in names and ids', async () => {
  const { send, events } = trackFunction()
  await send('/track', { ...good, event: '\ud800' })
  await send('/track', { ...good, user_id: 'a\udc00', session_id: '\ud83d\ude00' })
  expect(events()).toMatchObject([{ event: '\ufffd' }, { user_id: 'a\ufffd', session_id: '😀' }])
})

test('of a repeated key the last value counts', async () => {
  const { send, events } = trackFunction()
  await send(
    '/track',
    '{"token":"aat_no","token":"aat_shop","event":"a","event":"b","properties":{"k":1,"k":2}}',
  )
  expect(events()).toMatchObject([{ event: 'b', properties: { k: 2 } }])
})

test('the response waits for the stream, and is 503 with Retry-After when the stream refuses the record', async () => {
  const gate = Promise.withResolvers<void>()
  const { send } = trackFunction({ stream: { append: () => gate.promise } })
  let isAnswered = false
  const response = send('/track', good).finally(() => {
    isAnswered = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  gate.reject(unavailable('the disk is full', 5))
  expect(await response).toMatchObject({
    status: 503,
    body: { error: 'UNAVAILABLE' },
    headers: { 'Retry-After': '5' },
  })
})

test('a large batch is split into records under 900,000 bytes, and its events keep their order and positions', async () => {
  const { send, records, packed, events } = trackFunction()
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

test('a record says that it came with a credential of its account, if an event has an event_id', async () => {
  const { send, records } = trackFunction()
  const withId = { ...good, event_id: 'inv-1' }
  const headersOf = (account?: string): Record<string, string> =>
    account === undefined ? {} : { 'x-api-key': account }
  for (const [sent, account] of [
    [withId, 'acc_1'],
    [withId, undefined],
    [good, 'acc_1'],
  ] as const)
    expect((await send('/track', sent, { headers: headersOf(account) })).status).toBe(202)
  const batch = { events: [good, withId] }
  expect((await send('/track/batch', batch, { headers: headersOf('acc_1') })).status).toBe(202)
  expect(records().map(record => record.kind === 'events' && record.credentialed)).toEqual([
    true,
    undefined,
    undefined,
    true,
  ])
})
