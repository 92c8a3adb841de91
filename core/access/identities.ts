import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import { ApiError } from '#core/errors'
import type { Profile } from '#core/plans/profile'
import { sha256 } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { KnownAddressError } from './provider.ts'
import type { IdentityDirectory, VerifiedIdentity } from './types.ts'

export type IdentityServices = StateTable & {
  accounts: Pick<AccountStore, 'byId' | 'create' | 'setIdentityName' | 'noteIdentity'>
  profile: Profile
  /** E-mail addresses and domains (`@example.com`) that may sign up where sign-up is not open. */
  admitted: readonly string[]
}

const MAX_TRIES = 4

/**
 * Which account an identity of a provider signs in to. An item a provider's identity and an item an e-mail
 * address lead to the account; the one that was written first decides, so that two sign-ins at once make one
 * account.
 */
export function createIdentityDirectory({
  accounts,
  profile,
  admitted,
  ...state
}: IdentityServices): IdentityDirectory {
  const leads = leadEntity(state)

  async function find(identity: VerifiedIdentity): Promise<Account | null> {
    const known = await accountOf(identityKey(identity))
    if (known !== null) return withName(known, identity)
    const sameEmail = await accountOf(emailKey(identity.email))
    // POST /dev/approve proves nothing but the right to approve on this machine, and leaves no way to sign
    // in.
    if (sameEmail === null || identity.provider === 'dev') return sameEmail
    // The first sign-in of this identity writes its lead before that of the address, and may have ended in
    // between.
    const meanwhile = await accountOf(identityKey(identity))
    if (meanwhile === null) throw new KnownAddressError()
    return withName(meanwhile, identity)
  }

  async function findOrCreate(identity: VerifiedIdentity): Promise<Account> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const known = await find(identity)
      if (known !== null) return known
      refuseUnlisted(identity.email)
      const account = await createAccount(identity.email)
      // If another sign-in has claimed the identity first, the next try finds its account. The account
      // created here is never used.
      if (!(await claim(identityKey(identity), account.id))) continue
      if (await claim(emailKey(identity.email), account.id)) return withName(account, identity)
      await deleteLeads(state, account.id, [identityKey(identity)])
    }
    throw busyAddress()
  }

  async function ofAddress(email: string): Promise<Account> {
    const known = await accountOf(emailKey(email))
    if (known !== null) return known
    const account = await createAccount(email)
    if (await claim(emailKey(email), account.id)) return account
    // Another request was first. The account created here is never used.
    const first = await accountOf(emailKey(email))
    if (first === null) throw busyAddress()
    return first
  }

  async function mayBeSentCode(email: string): Promise<boolean> {
    return isListed(email) || (await accountOf(emailKey(email))) !== null
  }

  function createAccount(email: string): Promise<Account> {
    const isFree = profile.open_sign_up
    return accounts.create({
      email: normalized(email),
      tier: isFree ? 'free' : 'pro',
      complimentary: !isFree,
    })
  }

  async function link(accountId: string, identity: VerifiedIdentity): Promise<void> {
    const hash = identityKey(identity)
    await accounts.noteIdentity(accountId, hash)
    await orUnavailable(leads.put({ hash, account_id: accountId }).go())
    await claim(emailKey(identity.email), accountId)
    await accounts.setIdentityName(accountId, identity.provider, identity.login)
  }

  function isListed(email: string): boolean {
    const address = normalized(email)
    const domain = address.slice(address.lastIndexOf('@'))
    return profile.open_sign_up || admitted.some(entry => [address, domain].includes(normalized(entry)))
  }

  function refuseUnlisted(email: string): void {
    if (isListed(email)) return
    throw new ApiError(
      'FORBIDDEN',
      'This address is not admitted to this install. Ask its owner to add the address to the setting SIGN_UP.',
    )
  }

  /** Writes a lead, unless there is one to a live account. Returns whether it leads to this account. */
  async function claim(hash: string, account_id: string): Promise<boolean> {
    await accounts.noteIdentity(account_id, hash)
    if (await conditionHeld(leads.create({ hash, account_id }).go())) return true
    const { data } = await orUnavailable(leads.get({ hash }).go({ consistent: true }))
    if (data === null) return false
    if (data.account_id === account_id) return true
    // A deleted account leaves its address to the next one.
    if ((await accounts.byId(data.account_id)) !== null) return false
    const replaced = leads
      .patch({ hash })
      .set({ account_id })
      .where((lead, { eq }) => eq(lead.account_id, data.account_id))
    return conditionHeld(replaced.go())
  }

  async function accountOf(hash: string): Promise<Account | null> {
    const { data } = await orUnavailable(leads.get({ hash }).go({ consistent: true }))
    return data === null ? null : accounts.byId(data.account_id)
  }

  /** The login at the provider may have changed since the last sign-in. */
  async function withName(account: Account, { provider, login }: VerifiedIdentity): Promise<Account> {
    const field = provider === 'code_host' ? 'code_host_login' : 'idp_name'
    if (login === null || account[field] === login) return account
    await accounts.setIdentityName(account.id, provider, login)
    return { ...account, [field]: login }
  }

  return { find, findOrCreate, ofAddress, mayBeSentCode, link }
}

/** Deletes the items that lead to an account. An address that has gone to another account stays there. */
export async function deleteLeads(
  state: StateTable,
  accountId: string,
  hashes: readonly string[],
): Promise<void> {
  const leads = leadEntity(state)
  for (const hash of hashes) {
    const own = leads.delete({ hash }).where((lead, { eq }) => eq(lead.account_id, accountId))
    await conditionHeld(own.go())
  }
}

function busyAddress(): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'Several requests sign this address in at the same time. Try again in a second.',
    { retryAfter: 1 },
  )
}

function normalized(email: string): string {
  return email.trim().toLowerCase()
}

function identityKey({ issuer, subject }: VerifiedIdentity): string {
  return sha256(JSON.stringify(['identity', issuer, subject]))
}

function emailKey(email: string): string {
  return sha256(JSON.stringify(['email', normalized(email)]))
}

function leadEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'identity', version: '1' },
      attributes: {
        /** Hash of a provider's identity or of an e-mail address. */
        hash: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client, table },
  )
}
