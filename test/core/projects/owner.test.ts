import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuditLog, createAuditLog } from '#core/accounts/audit'
import { issueOwnerAccess, type OwnerServices } from '#core/projects/owner'
import { createStores, type Stores } from '#core/stores'
import { systemClock } from '#providers/system-clock'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let stores: Stores
let services: OwnerServices
let audit: AuditLog
beforeAll(async () => {
  state = await openTestState()
  const clock = { ...systemClock, now: () => 1_795_248_000_000 }
  stores = createStores(state, clock)
  audit = createAuditLog({ ...state, clock, log: () => {} })
  services = { client: state.client, table: state.table, ...stores, audit }
})
beforeEach(() => state.empty())
afterAll(() => state.close())

test('the owner gets a complimentary Pro account, a project and an API key of the account', async () => {
  const { account_id, api_key, project } = await issueOwnerAccess(services, {
    email: 'owner@example.com',
    project: 'website',
    allowed_origins: 'https://shop.example.com',
  })
  expect(await stores.accounts.byApiKey(api_key)).toMatchObject({
    id: account_id,
    email: 'owner@example.com',
    tier: 'pro',
    complimentary: true,
  })
  expect(project).toMatchObject({ account_id, name: 'website', allowed_origins: 'https://shop.example.com' })
})

test('a second call gives the same account another project and another key, and the first key stops', async () => {
  const first = await issueOwnerAccess(services, { project: 'website' })
  const second = await issueOwnerAccess(services, { project: 'shop' })
  expect(second.account_id).toBe(first.account_id)
  expect(await stores.accounts.byApiKey(first.api_key)).toBeNull()
  const actor = { type: 'system', id: 'owner_access', label: null }
  const { entries } = (await audit.list(first.account_id, 10)) ?? {}
  expect(entries).toMatchObject([
    { actor, action: 'api_key_issued' },
    { actor, action: 'api_key_issued' },
  ])
  expect(await stores.accounts.byApiKey(second.api_key)).toMatchObject({ id: first.account_id })
  const names = (await stores.projects.list(first.account_id)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(['shop', 'website'])
})

test('calls at the same time create one account and one project', async () => {
  const calls = Array.from({ length: 5 }, () => issueOwnerAccess(services, { project: 'website' }))
  const results = await Promise.all(calls)
  expect(new Set(results.map(({ account_id }) => account_id)).size).toBe(1)
  expect(new Set(results.map(({ project }) => project.id)).size).toBe(1)
})

test.each([
  ['an e-mail address that is not the owner’s', { email: 'else@example.com', project: 'website' }, 'email'],
  ['a text that is not an origin', { project: 'other', allowed_origins: 'no origin' }, 'allowed_origins'],
])('%s is rejected, and the key still works', async (_, request, message) => {
  const { api_key } = await issueOwnerAccess(services, { email: 'owner@example.com', project: 'website' })
  await expect(issueOwnerAccess(services, request)).rejects.toThrow(message)
  expect(await stores.accounts.byApiKey(api_key)).not.toBeNull()
})
