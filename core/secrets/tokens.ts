import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The secrets of sessions: a prefix, an optional locator, and 256 random bits in hex. The locator names the
 * item that holds the hash, so that one read finds it; it is no secret. The state table holds SHA-256 hashes
 * only.
 */

const SECRET_BYTES = 32
const ID_HEX = 16

/** 256 random bits in hex. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex')
}

/** An id such as `ags_0123456789abcdef`. */
export function randomId(prefix: string, bytes = ID_HEX / 2): string {
  return `${prefix}_${randomBytes(bytes).toString('hex')}`
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** HMAC-SHA-256 in hex: derives one secret from another, and nobody without the key can repeat it. */
export function derive(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Compares two texts in a time that does not tell how much of them is equal. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [sha256(a), sha256(b)]
  return timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

export type SessionLocator = { account_id: string; session_id: string }

const SESSION_TOKEN = /^(aas|aar)_([0-9a-f]{16})([0-9a-f]{16})[0-9a-f]{64}$/

/** An access or refresh token of a session around `secret` (64 hex digits). */
export function sessionToken(
  prefix: 'aas' | 'aar',
  { account_id, session_id }: SessionLocator,
  secret: string,
): string {
  return `${prefix}_${account_id.slice('acc_'.length)}${session_id.slice('ags_'.length)}${secret}`
}

/** Where the session of a token is; null for a text of another form, so that nobody asks the table for it. */
export function locateSession(token: string, prefix: 'aas' | 'aar'): SessionLocator | null {
  const match = SESSION_TOKEN.exec(token)
  if (match === null || match[1] !== prefix) return null
  return { account_id: `acc_${match[2]}`, session_id: `ags_${match[3]}` }
}

/**
 * The field that every form of a signed-in page sends back; only who holds the cookie's token can derive it.
 */
export function csrfToken(sessionToken: string): string {
  return derive(sessionToken, 'csrf')
}

const APPROVAL_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789'

/** 8 characters of A-Z and 2-9 that a human compares; bytes that would favour some letters are dropped. */
export function approvalCode(): string {
  const limit = 256 - (256 % APPROVAL_LETTERS.length)
  let code = ''
  while (code.length < 8) {
    for (const byte of randomBytes(16)) {
      if (byte < limit && code.length < 8) code += APPROVAL_LETTERS[byte % APPROVAL_LETTERS.length]
    }
  }
  return code
}
