import type { Now } from '#core/ports'
import { createBoundedRecords } from '#core/projects/bounded-records'
import type { StateTable } from '#core/state/state-table'
import type { PasskeyKey } from './passkey-verifier.ts'

/** How many passkeys an account has at most. */
export const MAX_PASSKEYS = 10
/** How long a browser may take from the page to the answer of the passkey, s. */
export const PASSKEY_SECONDS = 5 * 60

export type Passkey = PasskeyKey & {
  id: string
  /** What its owner calls it. */
  name: string
  /** Unix ms. */
  created_at: number
  /** Unix ms; null before its first sign-in. */
  last_used_at: number | null
}

export const passkeysPartition = (accountId: string) => `passkeys#${accountId}`

/** The passkeys of accounts: at most 10 each, items of 3.5 KB at most (docs/state-items.md). */
export function createPasskeys({ clock, ...state }: StateTable & { clock: Now }) {
  const keys = createBoundedRecords<Omit<Passkey, 'id'>>(state, {
    partitionOf: passkeysPartition,
    prefix: 'passkey',
    max: MAX_PASSKEYS,
  })

  /** The oldest first. */
  async function list(accountId: string): Promise<Passkey[]> {
    const all = await keys.list(accountId)
    return all.toSorted((a, b) => a.created_at - b.created_at || a.id.localeCompare(b.id))
  }

  /** Returns null if the account has as many as it may have. */
  function add(accountId: string, key: PasskeyKey, name: string): Promise<Passkey | null> {
    return keys.add(accountId, { ...key, name, created_at: clock.now(), last_used_at: null })
  }

  /** Returns false when the account has no such passkey. */
  async function rename(accountId: string, id: string, name: string): Promise<boolean> {
    const passkey = await keys.find(accountId, id)
    return passkey !== null && keys.replaceUnchanged(accountId, passkey, { ...passkey, name })
  }

  /** The passkey of a credential; null when the account has none such. */
  async function byCredential(accountId: string, credentialId: string): Promise<Passkey | null> {
    return (await list(accountId)).find(({ credential_id }) => credential_id === credentialId) ?? null
  }

  /**
   * Notes a sign-in. Returns false when the passkey was removed or has changed since it was read, for example
   * by another sign-in.
   */
  function noteUse(accountId: string, passkey: Passkey, counter: number): Promise<boolean> {
    return keys.replaceUnchanged(accountId, passkey, { ...passkey, counter, last_used_at: clock.now() })
  }

  async function removeAll(accountId: string): Promise<void> {
    await keys.changeAll(accountId, () => null)
  }

  return { list, add, rename, byCredential, noteUse, remove: keys.remove, removeAll }
}

export type Passkeys = ReturnType<typeof createPasskeys>
