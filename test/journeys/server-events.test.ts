import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, sharedDeployment } from '#test/support/deployment'

/** Events that servers send, without the tracker. */

const DAY_MS = 24 * 3_600_000

let service: Deployment
beforeAll(async () => {
  service = await sharedDeployment()
})
afterAll(() => service?.close())

test('an event from curl with the API key is stored without changes', async () => {
  const project = await service.createProject('invoices')
  const at = Date.now() - 3_600_000
  const properties = {
    value: 25,
    paid: true,
    lines: [{ sku: 'a', n: 2 }],
    note: 'Grüße "aus" \\ Köln 🦩',
    none: null,
  }
  const body = {
    token: project.project_token,
    event: 'invoice_paid',
    user_id: 'u-17',
    session_id: 's-1',
    event_id: 'invoice-1',
    timestamp: at,
    properties,
  }
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '-w',
    ' %{http_code}',
    '-H',
    `X-API-Key: ${service.apiKey}`,
    `${service.baseUrl}/track`,
    '-d',
    JSON.stringify(body),
  ])
  expect(stdout).toBe('{"ok":true,"queued":true} 202')

  const [stored] = await service.waitForEvents(project, 1)
  expect(stored).toEqual({
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    event_id: 'invoice-1',
    project_id: project.id,
    event: 'invoice_paid',
    properties,
    user_id: 'u-17',
    session_id: 's-1',
    timestamp: at,
    date: new Date(at).toISOString().slice(0, 10),
    country: stored!.country,
  })
})

test('every event of a batch is stored and counted in the stats', async () => {
  const project = await service.createProject('batch')
  const response = await service.send(
    project,
    Array.from({ length: 100 }, (_, i) => ({
      event: i % 4 === 0 ? 'signup' : 'page_view',
      user_id: `user-${i % 10}`,
      session_id: `session-${i % 20}`,
      properties: { path: `/page/${i}`, i },
    })),
  )
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({ ok: true, queued: true, count: 100 })

  const stored = await service.waitForEvents(project, 100)
  expect(stored.map(({ properties }) => properties?.i).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  )
  const { totals, events, sessions, timeSeries } = await service.stats(project)
  expect(totals).toEqual({ total_events: 100, unique_users: 10 })
  expect(events).toEqual([
    { event: 'page_view', count: 75, unique_users: 10 },
    { event: 'signup', count: 25, unique_users: 5 },
  ])
  expect(sessions).toMatchObject({ total_sessions: 20, sessions_per_user: 2, pages_per_session: 5 })
  expect(timeSeries.reduce((sum, { total_events }) => sum + total_events, 0)).toBe(100)
})

test('a retried event is stored once: when retried at once, in a batch, or after it was stored', async () => {
  const project = await service.createProject('retries')
  const event = { event: 'paid', event_id: 'order-1', user_id: 'ada' }
  expect((await service.send(project, [event])).status).toBe(202)
  expect((await service.send(project, [event])).status).toBe(202)
  expect((await service.send(project, [{ event: 'paid', event_id: 'order-2' }, event, event])).status).toBe(
    202,
  )
  const first = await service.waitForEvents(project, 2)
  expect(new Set(first.map(({ event_id }) => event_id))).toEqual(new Set(['order-1', 'order-2']))

  expect((await service.send(project, [event])).status).toBe(202)
  expect((await service.send(project, [{ event: 'last' }])).status).toBe(202)
  await service.waitForEvents(project, 3)
  const { totals, events } = await service.stats(project)
  expect(totals).toEqual({ total_events: 3, unique_users: 1 })
  expect(events.find(({ event }) => event === 'paid')).toEqual({ event: 'paid', count: 2, unique_users: 1 })
})

test('a late event counts for the day of its timestamp', async () => {
  const project = await service.createProject('late')
  const daysAgo = (days: number) => Date.now() - days * DAY_MS
  const sent = [29, 12, 1].map(days => ({ event: `${days} days late`, timestamp: daysAgo(days) }))
  expect((await service.send(project, sent)).status).toBe(202)
  const stored = await service.waitForEvents(project, 3, '30d')
  expect(stored.map(({ event, date }) => [event, date])).toEqual(
    sent.map(({ event, timestamp }) => [event, new Date(timestamp).toISOString().slice(0, 10)]),
  )
  const { timeSeries, totals } = await service.stats(project, '14d')
  expect(totals.total_events).toBe(2)
  expect(timeSeries.filter(({ total_events }) => total_events > 0)).toHaveLength(2)
})

test('events of bots get 202 and are not stored, and requests with the API key are not bots', async () => {
  const project = await service.createProject('crawled')
  const agents = [
    'curl/8.5.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'python-requests/2.32.0',
  ]
  for (const agent of agents) {
    expect((await service.send(project, [{ event: agent }], { 'User-Agent': agent })).status).toBe(202)
  }
  const own = { 'User-Agent': 'python-requests/2.32.0', 'X-API-Key': service.apiKey }
  expect((await service.send(project, [{ event: 'own' }], own)).status).toBe(202)
  expect((await service.send(project, [{ event: 'human' }])).status).toBe(202)
  const stored = await service.waitForEvents(project, 2)
  expect(stored.map(({ event }) => event).toSorted()).toEqual(['human', 'own'])
})

test('the pages of /events return every event once, newest first, and filters select events', async () => {
  const project = await service.createProject('pages')
  const at = Date.now() - 60_000
  const sent = Array.from({ length: 25 }, (_, i) => ({
    event: i % 5 === 0 ? 'fifth' : 'other',
    user_id: i < 10 ? 'ada' : 'ben',
    session_id: `s-${i % 2}`,
    // Some events have the same timestamp. Then the id decides the order.
    timestamp: at + Math.floor(i / 3),
    properties: { i },
  }))
  expect((await service.send(project, sent)).status).toBe(202)
  await service.waitForEvents(project, 25)

  type Page = {
    events: { id: string; timestamp: number; properties: { i: number } }[]
    next_before: string | null
  }
  const events: Page['events'] = []
  for (let cursor = ''; ; ) {
    const page = await service.callJson<Page>(`/events?project=${project.id}&since=1d&limit=10${cursor}`)
    expect(page.events.length).toBeLessThanOrEqual(10)
    events.push(...page.events)
    if (page.next_before === null) break
    cursor = `&before=${encodeURIComponent(page.next_before)}`
  }
  expect(events.map(({ properties }) => properties.i).toSorted((a, b) => a - b)).toEqual(
    sent.map((_, i) => i),
  )
  expect(events.map(({ timestamp }) => timestamp)).toEqual(
    sent.map(({ timestamp }) => timestamp).toReversed(),
  )

  const narrow = async (filter: string) =>
    (await service.callJson<Page>(`/events?project=${project.name}&since=1d&${filter}`)).events.length
  expect(await narrow('event=fifth')).toBe(5)
  expect(await narrow('user_id=ada')).toBe(10)
  expect(await narrow('session_id=s-1&user_id=ben')).toBe(7)
  expect(await narrow('event=never')).toBe(0)
})

describe('a wrong event gets an error code and a message:', () => {
  test.each([
    ['an unknown token', 401, 'INVALID_TOKEN', { token: 'aat_none', event: 'a' }],
    ['an event without a name', 400, 'MISSING_FIELDS', {}],
    ['a name that is too long', 400, 'INVALID_EVENT', { event: 'x'.repeat(257) }],
    ['a list instead of properties', 400, 'INVALID_PROPERTIES', { event: 'a', properties: [1] }],
    ['properties above 8 KB', 400, 'INVALID_PROPERTIES', { event: 'a', properties: { x: 'x'.repeat(8192) } }],
    ['a timestamp that is too old', 400, 'INVALID_TIMESTAMP', { event: 'a', timestamp: 1 }],
    ['an invalid event_id', 400, 'INVALID_EVENT', { event: 'a', event_id: 'a b' }],
    ['a body that is not JSON', 400, 'INVALID_BODY', '{"event":'],
    ['a body above 1 MiB', 413, 'PAYLOAD_TOO_LARGE', JSON.stringify({ event: 'x'.repeat(1_048_576) })],
    [
      'a batch of 101 events',
      400,
      'BATCH_TOO_LARGE',
      { events: Array.from({ length: 101 }, () => ({ event: 'a' })) },
    ],
  ])('%s', async (_, status, error, body) => {
    const { project_token } = await service.createProject('wrong')
    const isBatch = typeof body === 'object' && 'events' in body
    const withToken = typeof body === 'string' ? body : { token: project_token, ...body }
    const response = await service.call(isBatch ? '/track/batch' : '/track', { body: withToken })
    expect([response.status, await response.json()]).toEqual([status, { error, message: expect.any(String) }])
  })
})
