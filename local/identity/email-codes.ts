import { randomBytes, randomInt } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { Now } from '#core/ports'
import { isSame } from '#core/secrets/tokens'

/** How long a person may take before a code is asked for, ms: as long as at a provider. */
const START_MS = 15 * 60_000
/** How long a code is good, ms. */
const CODE_MS = 10 * 60_000
/** How long the browser may take from the right code back to the service, ms. */
const PROOF_MS = 60_000
/** Wrong codes of one sign-in, after which it is over: a guesser hits one of 100 million. */
const MAX_WRONG = 5
const HOUR_MS = 60 * 60_000
/** Codes that one address gets in an hour. */
const MAX_OF_ADDRESS = 5
/** Codes of all addresses in an hour, so that nobody makes the service a sender of spam. */
const MAX_OF_ALL = 200
/** Sign-ins that have begun; older ones begin again. Guards bound how many an address begins. */
const MAX_OPEN = 10_000

type OpenSignIn = { email: string; code: string; wrong: number; until: number }
type Proof = { email: string; until: number }
type Sent = { count: number; until: number }

/** What became of a code that somebody typed: who has proved what, or why not. */
export type CheckedCode = { proof: string } | 'wrong' | 'over'

/**
 * Sign-ins by a code that was sent to an e-mail address. They are in memory alone: after a restart of the
 * service one begins again. All maps have bounds.
 */
export function createEmailCodes({ now }: Now) {
  const open = new QuickLRU<string, OpenSignIn>({ maxSize: MAX_OPEN })
  const proofs = new QuickLRU<string, Proof>({ maxSize: MAX_OPEN })
  const sent = new QuickLRU<string, Sent>({ maxSize: MAX_OPEN })
  const ALL = ''

  /** Notes a sign-in that has begun. */
  function begin(signIn: string): void {
    open.set(signIn, { email: '', code: newCode(), wrong: 0, until: now() + START_MS })
  }

  /**
   * A new code for a sign-in and an address, which replaces an earlier one; null when the sign-in is over. A
   * code that nobody sends is as good as one that nobody has.
   */
  function make(signIn: string, email: string): string | null {
    const found = open.get(signIn)
    if (found === undefined || found.until <= now()) return null
    const code = newCode()
    open.set(signIn, { email, code, wrong: 0, until: now() + CODE_MS })
    return code
  }

  /** Counts an e-mail to an address. Returns false when it, or all together, get no more now. */
  function mayHaveMail(email: string): boolean {
    if (!hasRoom(ALL, MAX_OF_ALL) || !hasRoom(email, MAX_OF_ADDRESS)) return false
    for (const key of [ALL, email]) count(key)
    return true
  }

  function check(signIn: string, typed: string): CheckedCode {
    const found = open.get(signIn)
    if (found === undefined || found.until <= now()) return 'over'
    if (!isSame(typed.replace(/[\s-]/g, ''), found.code)) {
      found.wrong += 1
      if (found.wrong < MAX_WRONG) return 'wrong'
      open.delete(signIn)
      return 'over'
    }
    open.delete(signIn)
    const proof = randomBytes(32).toString('base64url')
    proofs.set(`${signIn} ${proof}`, { email: found.email, until: now() + PROOF_MS })
    return { proof }
  }

  /** The address that the proof of a sign-in is of, once; null for none. */
  function take(signIn: string, proof: string): string | null {
    const key = `${signIn} ${proof}`
    const found = proofs.get(key)
    proofs.delete(key)
    return found === undefined || found.until <= now() ? null : found.email
  }

  function hasRoom(key: string, max: number): boolean {
    const found = sent.get(key)
    return found === undefined || found.until <= now() || found.count < max
  }

  function count(key: string): void {
    const found = sent.get(key)
    if (found === undefined || found.until <= now()) sent.set(key, { count: 1, until: now() + HOUR_MS })
    else found.count += 1
  }

  return { begin, make, mayHaveMail, check, take }
}

function newCode(): string {
  return String(randomInt(100_000_000)).padStart(8, '0')
}
