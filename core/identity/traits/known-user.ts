import type { JsonObject } from '#core/text/json-object'

/** When a request arrived: `at` in Unix ms. */
export type Arrival = { at: number; seq: number }

/** What an identify request says about a user. */
export type TraitsUpdate = Arrival & {
  user_id: string
  /** Without e-mail addresses. */
  traits: JsonObject
  /** The keyed hash of the user's e-mail address (email-hash.ts), or null. */
  email_hash: string | null
  hasCredential: boolean
}

type SentTraits = Arrival & { traits: JsonObject }
type SentEmail = Arrival & { email_hash: string }

/**
 * What is known of a user. `trusted…` came with a credential. The rest anybody may have sent: it only fills
 * what is missing (U58).
 */
export type KnownUser = {
  traits: SentTraits | null
  trustedTraits: SentTraits | null
  email: SentEmail | null
  trustedEmail: SentEmail | null
  /** The hash of the address before, whose index entry may still exist. */
  replaced: string | null
}

export const UNKNOWN_USER: KnownUser = {
  traits: null,
  trustedTraits: null,
  email: null,
  trustedEmail: null,
  replaced: null,
}

/**
 * What is known of a user after a request. The newest request counts, whatever the order in which they are
 * added.
 */
export function addUpdate(user: KnownUser, update: TraitsUpdate): KnownUser {
  const { traits, email_hash, hasCredential, at, seq } = update
  const sentTraits = { traits, at, seq }
  const sentEmail = email_hash === null ? null : { email_hash, at, seq }
  const sent = hasCredential
    ? { ...UNKNOWN_USER, trustedTraits: sentTraits, trustedEmail: sentEmail }
    : { ...UNKNOWN_USER, traits: sentTraits, email: sentEmail }
  return mergeUsers(sent, user)
}

/** What is known of a person, from what is known of two ids. */
export function mergeUsers(one: KnownUser, other: KnownUser): KnownUser {
  return {
    traits: newestOf(one.traits, other.traits),
    trustedTraits: newestOf(one.trustedTraits, other.trustedTraits),
    email: newestOf(one.email, other.email),
    trustedEmail: newestOf(one.trustedEmail, other.trustedEmail),
    replaced: other.replaced,
  }
}

/** What is known of a user without what came without a credential. */
export function withoutPublic(user: KnownUser): KnownUser {
  if (user.trustedTraits === null && user.trustedEmail === null) return UNKNOWN_USER
  return { ...user, traits: null, email: null }
}

/** What is known of a user without what arrived until then, Unix ms. */
export function withoutOlder(user: KnownUser, until: number): KnownUser {
  const left = <T extends Arrival>(sent: T | null) => (sent !== null && sent.at > until ? sent : null)
  return {
    ...user,
    traits: left(user.traits),
    trustedTraits: left(user.trustedTraits),
    email: left(user.email),
    trustedEmail: left(user.trustedEmail),
  }
}

/** What look-ups show; null without any traits. */
export function traitsOf({ traits, trustedTraits }: KnownUser): SentTraits | null {
  const newest = newestOf(traits, trustedTraits)
  return newest && { ...newest, traits: { ...traits?.traits, ...trustedTraits?.traits } }
}

/** The hash of the address that finds the user, or null. */
export function emailOf({ email, trustedEmail }: KnownUser): string | null {
  return trustedEmail?.email_hash ?? email?.email_hash ?? null
}

function newestOf<T extends Arrival>(one: T | null, other: T | null): T | null {
  if (one === null || other === null) return one ?? other
  return one.at > other.at || (one.at === other.at && one.seq >= other.seq) ? one : other
}
