import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccountStore } from '#core/accounts/store'
import { openTestState, type TestState } from '#test/support/test-state'

const OWNER = { email: 'owner@example.com', tier: 'pro', complimentary: true } as const

let state: TestState
let accounts: ReturnType<typeof createAccountStore>
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => {
  accounts = createAccountStore({ ...state, clock: { now: () => Date.parse('2026-11-21T10:00:00.000Z') } })
})
afterAll(() => state.close())

test('byId returns a stored account, and null for an unknown id', async () => {
  const account = await accounts.create(OWNER)
  expect(account).toEqual({
    ...OWNER,
    id: expect.stringMatching(/^acc_[0-9a-f]{16}$/),
    created_at: '2026-11-21T10:00:00.000Z',
  })
  expect(await accounts.byId(account.id)).toEqual(account)
  expect(await accounts.byId('acc_0000000000000000')).toBeNull()
})

test('an API key has 64 hex digits, and byApiKey returns its account', async () => {
  const account = await accounts.create(OWNER)
  expect(await accounts.hasApiKey(account.id)).toBe(false)
  const key = await accounts.issueApiKey(account.id)
  expect(key).toMatch(/^aak_[0-9a-f]{64}$/)
  expect(await accounts.byApiKey(key)).toEqual(account)
  expect(await accounts.hasApiKey(account.id)).toBe(true)
})

test('a new API key works at once, and the old key stops', async () => {
  const account = await accounts.create(OWNER)
  const old = await accounts.issueApiKey(account.id)
  const key = await accounts.issueApiKey(account.id)
  expect(await accounts.byApiKey(old)).toBeNull()
  expect(await accounts.byApiKey(key)).toEqual(account)
})

test('when two keys are issued at the same time, one of them works', async () => {
  const account = await accounts.create(OWNER)
  const keys = await Promise.all([accounts.issueApiKey(account.id), accounts.issueApiKey(account.id)])
  const owners = await Promise.all(keys.map(accounts.byApiKey))
  expect(owners.filter(owner => owner !== null)).toEqual([account])
})

test('no stored item contains a key', async () => {
  const account = await accounts.create(OWNER)
  const key = await accounts.issueApiKey(account.id)
  const { Items } = await state.client.scan({ TableName: state.table })
  expect(JSON.stringify(Items)).not.toContain(key.slice('aak_'.length))
})

test('issueApiKey throws for an unknown account', async () => {
  await expect(accounts.issueApiKey('acc_0000000000000000')).rejects.toThrow('There is no account')
})

test('an unknown key has no account, and a text of another form causes no read of the table', async () => {
  expect(await accounts.byApiKey(`aak_${'0'.repeat(64)}`)).toBeNull()
  const { client } = state
  const unreachable = createAccountStore({
    client: new Proxy(client, { get: () => () => Promise.reject(new Error('the table was read')) }),
    table: state.table,
    clock: { now: () => 0 },
  })
  for (const text of [
    '',
    'aak_',
    `aak_${'0'.repeat(63)}`,
    `aak_${'g'.repeat(64)}`,
    `aas_${'0'.repeat(64)}`,
    'x'.repeat(5_000),
  ]) {
    expect(await unreachable.byApiKey(text)).toBeNull()
  }
})
