import { expect, test } from 'vitest'
import { BOT_RULES_VERSION } from '#core/ingest/bots'
import { testProject } from '#test/support/account-fixtures'
import { good, NOW, trackFunction } from './track-function.ts'

test('a request of a bot gets the usual response, and only the bot count is recorded', async () => {
  const { send, records, botCounts } = trackFunction()
  const headers = { 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2)' }
  const body = { events: [good, { ...good, event: 5, properties: 'bad' }] }
  expect(await send('/track/batch', body, { headers })).toMatchObject({
    status: 202,
    body: { ok: true, queued: true, count: 2 },
  })
  await botCounts.flush()
  expect(records()).toEqual([
    {
      kind: 'bots',
      project_id: 'proj_1',
      account_id: 'acc_1',
      received_at: NOW,
      category: 'ai_agent',
      purpose: 'train',
      actor: 'GPTBot',
      requests: 1,
      dropped: 2,
      rules_version: BOT_RULES_VERSION,
    },
  ])
})

test('a bot with a bad body, token or origin is refused like other senders', async () => {
  const headers = { 'user-agent': 'curl/8.5' }
  const { send, packed, botCounts } = trackFunction({}, [
    testProject({ allowed_origins: 'https://shop.example' }),
  ])
  expect((await send('/track', '{', { headers })).body.error).toBe('INVALID_BODY')
  expect((await send('/track', { token: 'aat_x' }, { headers })).body.error).toBe('INVALID_TOKEN')
  const foreign = { ...headers, origin: 'https://x.example' }
  expect((await send('/track', good, { headers: foreign })).body.error).toBe('FORBIDDEN')
  await botCounts.flush()
  expect(packed).toEqual([])
})

test('events of a library with a key of the account of the project are stored', async () => {
  const { send, records } = trackFunction()
  const headers = { 'user-agent': 'python-requests/2.31', 'x-api-key': 'acc_1' }
  expect((await send('/track', good, { headers })).status).toBe(202)
  expect(records().map(record => record.kind)).toEqual(['events'])
})

test('events of a library with a key of the account are checked like other events', async () => {
  const headers = { 'user-agent': 'python-requests/2.31', 'x-api-key': 'acc_1' }
  expect((await trackFunction().send('/track', { ...good, event: 5 }, { headers })).body.error).toBe(
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
  const { send, records } = trackFunction({ countryHeader: 'cf-ipcountry' })
  await send('/track', good, { headers: headers as Record<string, string>, ip })
  expect(records()).toMatchObject([{ country }])
})

test('a country header that the settings do not name is ignored', async () => {
  const { send, records } = trackFunction()
  await send('/track', good, { headers: { 'cf-ipcountry': 'DE' } })
  expect(records()).toMatchObject([{ country: null }])
})

/** What Chromium 131 sends when a program drives it under the User-Agent of a person. */
const HEADLESS = '"HeadlessChrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"'
const CHROME = '"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"'

test.each([
  ['/track', good],
  ['/track/batch', { events: [good] }],
] as const)(
  'a headless browser on %s is a bot by Sec-CH-UA, whatever its User-Agent is',
  async (path, body) => {
    const { send, records, botCounts } = trackFunction()
    expect((await send(path, body, { headers: { 'sec-ch-ua': HEADLESS } })).status).toBe(202)
    await botCounts.flush()
    expect(records()).toMatchObject([{ kind: 'bots', category: 'headless_browser', actor: 'HeadlessChrome' }])
  },
)

test('an identify request of a headless browser is ignored', async () => {
  const { send, records } = trackFunction()
  const body = { token: 'aat_shop', previous_id: 'anon_0123abcd', user_id: 'u1' }
  expect((await send('/identify', body, { headers: { 'sec-ch-ua': HEADLESS } })).status).toBe(202)
  expect(records()).toEqual([])
})

test.each([
  ['the brands of a person', { 'sec-ch-ua': CHROME }],
  ['a headless browser of the account', { 'sec-ch-ua': HEADLESS, 'x-api-key': 'acc_1' }],
])('the events of %s are stored', async (_, headers) => {
  const { send, events } = trackFunction()
  await send('/track', good, { headers: headers as Record<string, string> })
  expect(events()).toHaveLength(1)
})

test('an event of a browser gets its device from the headers, and one of a server none', async () => {
  const { send, events } = trackFunction()
  const agent = 'Mozilla/5.0 (Linux; Android 10; K) Chrome/131.0.0.0 Mobile Safari/537.36'
  const headers = {
    'user-agent': agent,
    'sec-ch-ua': CHROME,
    'sec-ch-ua-mobile': '?1',
    'sec-ch-ua-platform': '"Android"',
  }
  const properties = { screen: '412x915' }
  await send(
    '/track/batch',
    { token: 'aat_shop', events: [{ event: 'view', properties }, { event: 'paid' }] },
    { headers },
  )
  expect(events().map(({ properties }) => properties)).toEqual([
    { screen: '412x915', browser: 'Chrome', browser_version: '131', os: 'Android', device: 'mobile' },
    null,
  ])
})
