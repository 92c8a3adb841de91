import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSetupLinks, SETUP_LINK_SECONDS, type SetupLinks } from '#core/access/setup-links'
import { ATTEMPT_SECONDS, createSignInAttempts, type SignInAttempts } from '#core/access/sign-in-attempts'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let attempts: SignInAttempts
let links: SetupLinks
let now = Date.UTC(2026, 10, 22)

beforeAll(async () => {
  state = await openTestState()
  const services = { ...state, clock: { now: () => now } }
  attempts = createSignInAttempts(services)
  links = createSetupLinks(services)
})
afterAll(() => state.close())

const attempt = { provider: 'idp', return_to: '/settings' }

test('an attempt ends once, with the secrets that it began with', async () => {
  const { token, secrets } = await attempts.begin(attempt)
  expect(new Set(Object.values(secrets)).size).toBe(3)
  const ends = await Promise.all([attempts.end(token), attempts.end(token), attempts.end(token)])
  expect(ends.filter(end => end !== null)).toEqual([{ attempt, secrets }])
})

test('an attempt that took too long is over', async () => {
  const { token } = await attempts.begin(attempt)
  now += ATTEMPT_SECONDS * 1_000
  expect(await attempts.end(token)).toBeNull()
})

test('a setup link works once, and only for an hour', async () => {
  const [token, late] = [await links.issue('acc_1'), await links.issue('acc_1')]
  expect([await links.isValid(token), await links.isValid(token)]).toEqual([true, true])
  const redeemed = await Promise.all([links.redeem(token), links.redeem(token)])
  expect(redeemed.toSorted()).toEqual(['acc_1', null].toSorted())
  expect(await links.isValid(token)).toBe(false)
  now += SETUP_LINK_SECONDS * 1_000
  expect([await links.isValid(late), await links.redeem(late)]).toEqual([false, null])
})

test.each(['', 'x', '../../owner', 'a'.repeat(43)])('%j is no token', async token => {
  expect(await attempts.end(token)).toBeNull()
  expect(await links.redeem(token)).toBeNull()
})

test('the table holds only hashes of the tokens', async () => {
  await state.empty()
  const { token, secrets } = await attempts.begin(attempt)
  const link = await links.issue('acc_1')
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  const stored = JSON.stringify(Items)
  for (const secret of [token, link, ...Object.values(secrets)]) expect(stored).not.toContain(secret)
  for (const secret of [token, link]) {
    expect(stored).toContain(createHash('sha256').update(secret).digest('hex'))
  }
})
