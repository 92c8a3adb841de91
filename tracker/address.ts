import { cutText } from './clean.ts'

/**
 * An e-mail address as it may stand in a title or a path, where its @ may be encoded. All repetitions are bounded, and
 * the part behind the @ holds no percent sign, so that no text makes it slow.
 */
const EMAIL = /[^\s/@?#&=:;,<>"'()]{1,64}(?:@|%40)[^\s/@%?#&=:;,<>"'()]{1,255}\.[a-z]{2,}/gi
/** No longer text is sent anyway (clean.ts), so no more of it is looked through. */
const TEXT_CHARS = 4096

/** Takes e-mail addresses out of a text that the page did not hand us on purpose (contract 4.8). */
export function redactEmails(text: string): string {
  return cutText(text, TEXT_CHARS).replace(EMAIL, '[redacted]')
}

/** Origin and path of an http(s) address: no query, fragment, user name or e-mail address. Else empty. */
export function cleanAddress(address: string): string {
  try {
    const { protocol, origin, pathname } = new URL(address)
    return /^https?:$/.test(protocol) ? redactEmails(origin + pathname) : ''
  } catch {
    return ''
  }
}
