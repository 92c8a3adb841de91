import { afterEach, expect, test } from 'vitest'
import { createLimits } from '#core/limits/limits'
import { readProfile } from '#core/plans/profile'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState } from '#test/support/test-state'
import { good, NOW, trackFunction } from './track-function.ts'

const GOOGLEBOT = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }

let close = async () => {}
afterEach(() => close())

/** The track function with the real limits, of five requests a minute and token. */
async function limitedFunction() {
  const state = await openTestState()
  close = state.close
  const clock = createFakeClock(NOW)
  const limits = createLimits({
    ...{ client: state.client, table: state.table, clock, log: () => {} },
    profile: readProfile('own', 'token_requests_per_minute=5'),
    accounts: { byId: async () => null },
    usage: { month: expect.unreachable, reserveRead: expect.unreachable, releaseRead: expect.unreachable },
  })
  return { ...trackFunction({ limits, clock }), clock }
}

async function countAccepted(send: () => Promise<{ status: number }>): Promise<number> {
  let accepted = 0
  for (let i = 0; i < 12; i++) if ((await send()).status === 202) accepted += 1
  return accepted
}

test('of 12 requests of a browser the limit of the token admits 5', async () => {
  const { send, records } = await limitedFunction()
  expect(await countAccepted(() => send('/track', good))).toBe(5)
  expect(records()).toHaveLength(5)
})

test.each(['/track', '/track/batch'] as const)(
  'of 12 requests of Googlebot to %s it admits 5 too, and they are one record in the log',
  async path => {
    const { send, records, botCounts } = await limitedFunction()
    const body = path === '/track' ? good : { events: [good, good] }
    expect(await countAccepted(() => send(path, body, { headers: GOOGLEBOT }))).toBe(5)
    await botCounts.flush()
    const dropped = path === '/track' ? 5 : 10
    expect(records()).toMatchObject([{ kind: 'bots', actor: 'Googlebot', requests: 5, dropped }])
  },
)

test.each([
  [
    'a bot at /identify',
    '/identify',
    GOOGLEBOT,
    { token: good.token, user_id: 'u', previous_id: 'anon_12345678' },
  ],
  [
    'a browser at /identify',
    '/identify',
    {},
    { token: good.token, user_id: 'u', previous_id: 'anon_12345678' },
  ],
  ['a browser with events that are refused', '/track', {}, { ...good, event: 5 }],
] as const)('%s counts toward the limit of the token', async (_what, path, headers, body) => {
  const { send } = await limitedFunction()
  for (let i = 0; i < 5; i++) await send(path, body, { headers })
  expect((await send('/track', good)).body).toMatchObject({ error: 'RATE_LIMITED', reason: 'rate_limit' })
})

test('a bot and a browser share the limit of the token', async () => {
  const { send } = await limitedFunction()
  for (let i = 0; i < 3; i++) expect((await send('/track', good, { headers: GOOGLEBOT })).status).toBe(202)
  expect(await countAccepted(() => send('/track', good))).toBe(2)
})
