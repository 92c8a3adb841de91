import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createIdentityDirectory } from '#core/access/identities'
import { KnownAddressError } from '#core/access/provider'
import type { VerifiedIdentity } from '#core/access/types'
import { createAccountStore } from '#core/accounts/store'
import { profiles } from '#core/plans/profile'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let accounts: ReturnType<typeof createAccountStore>
beforeAll(async () => {
  state = await openTestState()
  accounts = createAccountStore({ ...state, clock: { now: () => Date.UTC(2026, 10, 22) } })
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const directory = (profile: 'own' | 'hosted', admitted: string[] = []) =>
  createIdentityDirectory({ ...state, accounts, profile: profiles[profile], admitted })

function identity(overrides: Partial<VerifiedIdentity> = {}): VerifiedIdentity {
  const idp = { provider: 'idp', issuer: 'https://idp.example', subject: 'one' } as const
  return { ...idp, email: 'Human@Example.com', login: 'Hu Man', ...overrides }
}
const codeHost = identity({ provider: 'code_host', issuer: 'https://code.example', login: 'human' })

test('the first sign-in creates a free account, the next ones find it', async () => {
  const identities = directory('hosted')
  expect(await identities.find(identity())).toBeNull()
  const account = await identities.findOrCreate(identity())
  expect(account).toMatchObject({
    email: 'human@example.com',
    tier: 'free',
    complimentary: false,
    idp_name: 'Hu Man',
  })
  expect((await identities.findOrCreate(identity()))?.id).toBe(account.id)
})

test('another provider with a known address asks for the old way first; once it is linked, both lead to one account', async () => {
  const identities = directory('hosted')
  const { id } = await identities.findOrCreate(identity())
  for (const other of [codeHost, identity({ subject: 'two' })]) {
    await expect(identities.findOrCreate(other)).rejects.toThrow(KnownAddressError)
    await expect(identities.find(other)).rejects.toThrow(KnownAddressError)
  }
  expect(await accounts.byId(id)).toMatchObject({ code_host_login: null, idp_name: 'Hu Man' })
  await identities.link(id, codeHost)
  expect(await identities.findOrCreate(codeHost)).toMatchObject({ id, code_host_login: 'human' })
  expect(await accounts.byId(id)).toMatchObject({ code_host_login: 'human', idp_name: 'Hu Man' })
})

test('an approval in development finds the account of an address, and leaves no way to sign in', async () => {
  const identities = directory('hosted')
  const { id } = await identities.findOrCreate(identity())
  const dev = identity({ provider: 'dev', issuer: 'dev', subject: 'human@example.com', login: null })
  expect((await identities.findOrCreate(dev)).id).toBe(id)
  expect((await identities.find(dev))?.id).toBe(id)
})

test('of many first sign-ins at once all get one account', async () => {
  const identities = directory('hosted')
  const found = await Promise.all(Array.from({ length: 8 }, () => identities.findOrCreate(identity())))
  expect(new Set(found.map(({ id }) => id)).size).toBe(1)
})

test('of first sign-ins of two providers with one address at once, one provider gets the account', async () => {
  for (let round = 0; round < 10; round++) {
    await state.empty()
    const identities = directory('hosted')
    const results = await Promise.allSettled([
      identities.findOrCreate(identity()),
      identities.findOrCreate(codeHost),
    ])
    const refused = results.filter(result => result.status === 'rejected')
    expect(refused.map(({ reason }) => reason)).toEqual([expect.any(KnownAddressError)])
    // What was refused stays refused, and what was admitted stays admitted.
    const again = await Promise.allSettled([identities.find(identity()), identities.find(codeHost)])
    expect(again.map(({ status }) => status)).toEqual(results.map(({ status }) => status))
  }
})

test('an own install admits listed addresses and domains only, as complimentary Pro', async () => {
  const identities = directory('own', ['human@example.com', '@friends.example'])
  expect(await identities.findOrCreate(identity())).toMatchObject({ tier: 'pro', complimentary: true })
  await identities.findOrCreate(identity({ subject: 'two', email: 'any@friends.example' }))
  for (const email of ['other@example.com', 'x@notfriends.example', 'x@sub.friends.example']) {
    const stranger = identity({ subject: email, email })
    await expect(identities.findOrCreate(stranger)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }
})

test('a linked identity signs in to the account that it was linked to', async () => {
  const identities = directory('own')
  const owner = await accounts.create({ email: 'owner@localhost', tier: 'pro', complimentary: true })
  await identities.link(owner.id, identity())
  expect((await identities.find(identity()))?.id).toBe(owner.id)
  await expect(identities.findOrCreate(codeHost)).rejects.toThrow(KnownAddressError)
})

test('a deleted account leaves its address to a new one', async () => {
  const identities = directory('hosted')
  const { id } = await identities.findOrCreate(identity())
  await accounts.markDeleted(id)
  expect(await identities.find(identity())).toBeNull()
  const next = await identities.findOrCreate(identity())
  expect(next.id).not.toBe(id)
  expect((await identities.find(identity()))?.id).toBe(next.id)
})
