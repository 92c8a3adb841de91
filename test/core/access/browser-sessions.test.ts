import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowserSessionStore } from '#core/access/browser-sessions'
import type { BrowserSessions } from '#core/access/types'
import { createAccountStore } from '#core/accounts/store'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { now: () => now }
let sessions: BrowserSessions
let id: string
beforeAll(async () => {
  state = await openTestState()
  const accounts = createAccountStore({ ...state, clock })
  sessions = createBrowserSessionStore({ ...state, clock, accounts })
  id = (await accounts.create({ email: 'human@example.com', tier: 'free', complimentary: false })).id
})
afterAll(() => state.close())

test('a session is found by its token for 30 days', async () => {
  const { token, expires_at } = await sessions.create(id)
  expect(token).toMatch(/^aab_[0-9a-f]{80}$/)
  expect(await sessions.byToken(token)).toMatchObject({ account: { id }, expires_at, created_at: now })
  now = expires_at
  expect(await sessions.byToken(token)).toBeNull()
})

test('each session has a CSRF token of its own, which does not hold the cookie’s token', async () => {
  const [first, second] = [await sessions.create(id), await sessions.create(id)]
  const [one, two] = [await sessions.byToken(first.token), await sessions.byToken(second.token)]
  expect(one?.csrf_token).not.toBe(two?.csrf_token)
  expect(first.token).not.toContain(one?.csrf_token)
})

test('a rotation ends the old session', async () => {
  const { token } = await sessions.create(id)
  await sessions.byToken(token)
  const rotated = await sessions.rotate(token, id)
  expect(await sessions.byToken(token)).toBeNull()
  expect(await sessions.byToken(rotated.token)).not.toBeNull()
})

test('an end ends this session alone', async () => {
  const [first, second] = [await sessions.create(id), await sessions.create(id)]
  await sessions.end(first.token)
  expect(await sessions.byToken(first.token)).toBeNull()
  expect(await sessions.byToken(second.token)).not.toBeNull()
  await sessions.end('no token at all')
})

test('an end of all others ends each session of the account but the caller’s, which gets another token', async () => {
  const other = await sessions.create(id)
  const own = await sessions.create(id)
  const found = await sessions.byToken(other.token)
  expect(await sessions.isLive(id, found?.id ?? '')).toBe(true)
  const next = await sessions.endOthers(own.token, id)
  for (const { token } of [other, own]) expect(await sessions.byToken(token)).toBeNull()
  expect(await sessions.isLive(id, found?.id ?? '')).toBe(false)
  expect(await sessions.byToken(next.token)).toMatchObject({ account: { id } })
  now += 1
  const later = await sessions.create(id)
  expect(await sessions.byToken(later.token)).not.toBeNull()
})

test('unknown tokens are nobody’s, and nothing that is stored holds a token', async () => {
  const { token } = await sessions.create(id)
  for (const text of ['', 'aab_', `aab_${'0'.repeat(80)}`, 'x'.repeat(5_000)]) {
    expect(await sessions.byToken(text)).toBeNull()
  }
  const { Items } = await state.client.scan({ TableName: state.table })
  expect(JSON.stringify(Items)).not.toContain(token.slice('aab_'.length))
})
