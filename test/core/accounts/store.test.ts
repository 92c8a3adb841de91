import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { apiKeyId } from '#core/accounts/account'
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
    code_host_login: null,
    idp_name: null,
    browsers_since: 0,
    monthly_spend_cap_dollars: null,
  })
  expect(await accounts.byId(account.id)).toEqual(account)
  expect(await accounts.byId('acc_0000000000000000')).toBeNull()
})

test('an API key names its account and has 256 random bits, and byApiKey returns the account', async () => {
  const account = await accounts.create(OWNER)
  expect(await accounts.hasApiKey(account.id)).toBe(false)
  const key = await accounts.issueApiKey(account.id)
  expect(key).toMatch(new RegExp(`^aak_${account.id.slice(4)}[0-9a-f]{64}$`))
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

test('the id of a key is live until another key is issued or the account is deleted', async () => {
  const account = await accounts.create(OWNER)
  const other = await accounts.create(OWNER)
  const old = apiKeyId(await accounts.issueApiKey(account.id))
  expect(await accounts.isLiveKey(account.id, old)).toBe(true)
  expect(await accounts.isLiveKey(other.id, old)).toBe(false)
  const id = apiKeyId(await accounts.issueApiKey(account.id))
  expect(await accounts.isLiveKey(account.id, old)).toBe(false)
  expect(await accounts.isLiveKey(account.id, id)).toBe(true)
  await accounts.markDeleted(account.id)
  expect(await accounts.isLiveKey(account.id, id)).toBe(false)
  expect(await accounts.isLiveKey('acc_0000000000000000', id)).toBe(false)
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
  for (const digits of [64, 80]) expect(await accounts.byApiKey(`aak_${'0'.repeat(digits)}`)).toBeNull()
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

test('a replaced key is dead in every other process within 5 s', async () => {
  let now = 0
  const clock = { now: () => now }
  const [here, elsewhere] = [createAccountStore({ ...state, clock }), createAccountStore({ ...state, clock })]
  const account = await here.create(OWNER)
  const key = await here.issueApiKey(account.id)
  await elsewhere.byApiKey(key)
  await here.issueApiKey(account.id)
  expect(await here.byApiKey(key)).toBeNull()
  now += 5_000
  expect(await elsewhere.byApiKey(key)).toBeNull()
})

test('a plan is set by the newest event only, and never on a complimentary account', async () => {
  const paying = await accounts.create({ ...OWNER, tier: 'free', complimentary: false })
  const tier = async () => (await accounts.byId(paying.id))?.tier
  await accounts.applyPlan(paying.id, 'pro', 2)
  expect(await tier()).toBe('pro')
  await accounts.applyPlan(paying.id, 'free', 1)
  await accounts.applyPlan(paying.id, 'free', 2)
  expect(await tier()).toBe('pro')
  await accounts.applyPlan(paying.id, 'free', 3)
  expect(await tier()).toBe('free')
  const owner = await accounts.create(OWNER)
  await accounts.applyPlan(owner.id, 'free', 1)
  expect((await accounts.byId(owner.id))?.tier).toBe('pro')
})

test('a deleted account has no key any more, and is nobody', async () => {
  const account = await accounts.create(OWNER)
  const key = await accounts.issueApiKey(account.id)
  await accounts.markDeleted(account.id)
  expect(await accounts.byApiKey(key)).toBeNull()
  expect(await accounts.byId(account.id)).toBeNull()
})

test('a spend cap is set and removed', async () => {
  const { id } = await accounts.create(OWNER)
  await accounts.setSpendCap(id, 25)
  expect((await accounts.byId(id))?.monthly_spend_cap_dollars).toBe(25)
  await accounts.setSpendCap(id, null)
  expect((await accounts.byId(id))?.monthly_spend_cap_dollars).toBeNull()
})
