import { attempt } from './api.ts'

/**
 * Matches an e-mail address in a title or a path, also with an encoded @. All repetitions are bounded, and
 * the part after the @ has no percent sign, so no text can make the match slow.
 */
const EMAIL = /[^\s"#&-),/:-@]{1,64}(@|%40)[^\s"#%-),/:-@]{1,255}\.[a-z]{2,}/gi
/** Matches query or fragment of an address or a path. */
const QUERY = /(\/[^\s?#]*)[?#][^\s"')]+/g
/**
 * Matches the value after a name such as `token=` or `"password": `, a bearer token, and tokens and UUIDs.
 */
const SECRET =
  /((token|secret|pass|pwd|key|auth|session|jwt)\w*["']?\s*[=:]\s*)(bearer\s+)?("[^"]*"?|[^\s&;,]+)|bearer\s+\S+|[\w+-]{32,}/gi
/**
 * The message of an error is cut to 500 characters. So only this part is searched, which also bounds the
 * time.
 */
const ERROR_CHARS = 1000
/** Other texts are cut to this length before they are sent (clean.ts). */
const TEXT_CHARS = 4096

const REDACTED = '[redacted]'

/** Redacts e-mail addresses in a text that the page did not pass to us on purpose (docs/api/tracker.md). */
export function redactEmails(text: string): string {
  return text.slice(0, TEXT_CHARS).replace(EMAIL, REDACTED)
}

/**
 * Redacts queries of addresses, secrets and e-mail addresses in the text of an error (docs/api/tracker.md).
 */
export function redactError(text: string): string {
  return redactEmails(
    text.slice(0, ERROR_CHARS).replace(QUERY, `$1${REDACTED}`).replace(SECRET, `$1${REDACTED}`),
  )
}

/**
 * Returns origin and path of an http(s) URL, without user name and e-mail addresses. Any other URL gives an
 * empty text.
 */
export function cleanAddress(address: string | undefined, base?: string): string {
  const clean = attempt(() => {
    const url = new URL(address!, base)
    return /^http/.test(url.href) && redactEmails(url.origin + url.pathname)
  })
  return clean || ''
}
