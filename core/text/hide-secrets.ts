/**
 * The forms of this service's secrets: API keys, session, refresh, poll, claim and resume tokens, exchange
 * codes, cookies and the secret of POST /dev/approve. A part of one counts from eight characters on, because
 * a message may be cut. Project tokens (`aat_…`) are public.
 */
const PREFIXED = /(aa[a-su-z]|(?<![a-z])rst)_[0-9a-z]{8,}/gi
/** Keys of the payment provider, which its errors may name. */
const PAYMENT_KEY = /(sk_live|sk_test|rk_live|rk_test|whsec)_\w{8,}/g
/** Tokens of setup links and of sign-ins under way: 32 bytes in base64url. */
const BARE_TOKEN = /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g
/** The code of the embedded sign-in page (local/identity/sign-in-code.ts). */
const SIGN_IN_CODE = /\b[A-HJ-NP-Z2-9]{4}(?:-[A-HJ-NP-Z2-9]{4}){3}\b/g

/**
 * The text without anything that has the form of one of our secrets: `aak_…` stays of an API key. Callers
 * paste secrets into wrong places, and then they must not reach a message, a log line or an audit entry.
 */
export function hideSecrets(text: string): string {
  // Bare tokens first: one may have the form of a prefixed secret in its middle, and its start would stay.
  return text
    .replace(BARE_TOKEN, '…')
    .replace(PREFIXED, '$1_…')
    .replace(PAYMENT_KEY, '$1_…')
    .replace(SIGN_IN_CODE, '…')
}

/** The same for every text in the arrays and plain objects of a value, names of fields included. */
export function withoutSecrets<T>(value: T): T {
  return hiddenIn(value) as T
}

function hiddenIn(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value)
  if (Array.isArray(value)) return value.map(hiddenIn)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [hideSecrets(name), hiddenIn(field)]),
  )
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
