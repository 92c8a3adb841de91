import { expect, test } from 'vitest'
import { noLimits } from '#core/limits/limit-state'
import { testProject } from '#test/support/account-fixtures'
import { good, NOW, trackFunction } from './track-function.ts'

const shop = testProject({ allowed_origins: 'https://shop.example' })
const project = { id: shop.id, name: shop.name }
const nothing = { reason: null, error: null, message: null, bot: null }

async function check(body: object, headers: Record<string, string> = {}) {
  const track = trackFunction({}, [shop])
  const response = await track.send('/track/check', body, { headers })
  expect(response.status).toBe(200)
  // It stores and counts nothing.
  expect([track.packed, track.refused]).toEqual([[], []])
  await track.botCounts.flush()
  expect(track.packed).toEqual([])
  return response.body
}

test('an event that is good would be stored, in the project of the token', async () => {
  expect(await check(good)).toEqual({ would: 'store', ...nothing, project })
})

test.each<[string, object, Record<string, string>, object]>([
  ['an origin', good, { origin: 'https://www.shop.example' }, { reason: 'origin', error: 'FORBIDDEN' }],
  ['an origin in the body', { ...good, origin: 'https://a.example' }, {}, { reason: 'origin' }],
  ['a time', { ...good, timestamp: NOW + 3_600_000 }, {}, { reason: 'time', error: 'INVALID_TIMESTAMP' }],
  ['a name', { ...good, event: '' }, {}, { reason: 'name', error: 'MISSING_FIELDS' }],
  ['a size', { ...good, properties: 'a' }, {}, { reason: 'size', error: 'INVALID_PROPERTIES' }],
  ['a revoked key', good, { 'x-api-key': 'revoked' }, { reason: 'credential', error: 'AUTH_REQUIRED' }],
])('an event with %s that is wrong would be refused, and says why', async (_, body, headers, expected) => {
  expect(await check(body, headers)).toMatchObject({
    ...expected,
    would: 'refuse',
    message: expect.any(String),
    project,
  })
})

test.each([{ event: 'a' }, { event: 'a', token: 'aat_nobody' }, { event: 'a', token: 5 }])(
  'a token that no project has is told: %j',
  async body => {
    expect(await check(body)).toMatchObject({ would: 'refuse', error: 'INVALID_TOKEN', project: null })
  },
)

test('a bot is told its name, by the header and by the body', async () => {
  const expected = { would: 'count_as_bot', reason: 'bot', bot: { actor: 'curl' }, project }
  expect(await check(good, { 'user-agent': 'curl/8.5' })).toMatchObject(expected)
  expect(await check({ ...good, user_agent: 'curl/8.5' })).toMatchObject(expected)
  expect(await check(good, { 'user-agent': 'curl/8.5', 'x-api-key': 'acc_1' })).toMatchObject({
    would: 'store',
  })
})

test('a check counts toward the limit of the token, and toward no cap of events', async () => {
  const counted: number[] = []
  const requests: string[] = []
  const limits = {
    ...noLimits,
    checkEvents: (_: string, events: number) => {
      counted.push(events)
      return null
    },
    checkToken: (id: string) => {
      requests.push(id)
      return null
    },
  }
  await trackFunction({ limits }, [shop]).send('/track/check', good)
  expect([counted, requests]).toEqual([[0], [shop.id]])
})
