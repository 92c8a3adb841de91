import { cutText } from './clean.ts'

/**
 * Matches an e-mail address in a title or a path, also with an encoded @. All repetitions are bounded, and the part after
 * the @ has no percent sign, so no text can make the match slow.
 */
const EMAIL = /[^\s/@?#&=:;,<>"'()]{1,64}(?:@|%40)[^\s/@%?#&=:;,<>"'()]{1,255}\.[a-z]{2,}/gi
/** Longer texts are cut before they are sent (clean.ts), so only this part is searched. */
const TEXT_CHARS = 4096

/** Redacts e-mail addresses in a text that the page did not pass to us on purpose (contract 4.8). */
export function redactEmails(text: string): string {
  return cutText(text, TEXT_CHARS).replace(EMAIL, '[redacted]')
}

/** Returns origin and path of an http(s) URL, without user name and e-mail addresses. Any other URL gives an empty text. */
export function cleanAddress(address: string): string {
  try {
    const { protocol, origin, pathname } = new URL(address)
    return /^https?:$/.test(protocol) ? redactEmails(origin + pathname) : ''
  } catch {
    return ''
  }
}
