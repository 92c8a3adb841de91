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
/**
 * Wrong codes of one sign-in, after which it is over. With MAX_OF_ADDRESS it bounds who guesses: 25 guesses
 * an hour at an address, each one of 100 million.
 */
const MAX_WRONG = 5
const HOUR_MS = 60 * 60_000
/** Codes that one address gets in an hour. */
const MAX_OF_ADDRESS = 5
/** Codes of all addresses in an hour, so that nobody makes the service a sender of spam. */
const MAX_OF_ALL = 200
/** Sign-ins that have begun; older ones begin again. Guards bound how many an address begins. */
const MAX_OPEN = 10_000

/** `code`: null while none was sent, so no guess can hit it. */
type OpenSignIn = { email: string; code: string | null; wrong: number; until: number }
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
    open.set(signIn, { email: '', code: null, wrong: 0, until: now() + START_MS })
  }

  /**
   * The address that a sign-in waits for. A code that was sent before is no good any more. False: it is over.
   */
  function waitFor(signIn: string, email: string): boolean {
    const found = open.get(signIn)
    if (found === undefined || found.until <= now()) return false
    open.set(signIn, { ...found, email, code: null })
    return true
  }

  /**
   * A new code, to be sent to the address that the sign-in waits for; null when it waits for another one, is
   * over, or the address, or all together, get no more e-mails now.
   */
  function make(signIn: string, email: string): string | null {
    const found = open.get(signIn)
    if (found === undefined || found.until <= now() || found.email !== email) return null
    if (!hasRoom(ALL, MAX_OF_ALL) || !hasRoom(email, MAX_OF_ADDRESS)) return null
    for (const key of [ALL, email]) count(key)
    const code = String(randomInt(100_000_000)).padStart(8, '0')
    open.set(signIn, { email, code, wrong: 0, until: now() + CODE_MS })
    return code
  }

  function check(signIn: string, typed: string): CheckedCode {
    const found = open.get(signIn)
    if (found === undefined || found.until <= now()) return 'over'
    if (found.code === null || !isSame(typed.replace(/[\s-]/g, ''), found.code)) {
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

  return { begin, waitFor, make, check, take }
}
