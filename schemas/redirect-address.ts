import { isLoopbackCallback } from './loopback.ts'

/** Longest redirect address of a client, characters. */
export const MAX_REDIRECT_CHARS = 2_048
/** Most redirect addresses of one client. */
export const MAX_REDIRECTS = 10

/**
 * Whether an OAuth client may have its answer sent there: the human's own machine, or https. No fragment, no
 * user name, and nothing that two parsers read differently.
 */
export function isRedirectAddress(text: string): boolean {
  if (text.length > MAX_REDIRECT_CHARS || /[\s\\#\p{Cc}]/u.test(text)) return false
  if (isLoopbackCallback(text)) return true
  const url = URL.parse(text)
  return url?.protocol === 'https:' && /^https:\/\//i.test(text) && url.username === '' && url.password === ''
}

/**
 * Whether an address is one of the client's: exactly, or on the human's own machine with another port (RFC
 * 8252, 7.3), because a program there takes the port that is free.
 */
export function isOneOfRedirects(asked: string, registered: readonly string[]): boolean {
  if (!isRedirectAddress(asked)) return false
  if (registered.includes(asked)) return true
  return isLoopbackCallback(asked) && registered.some(own => withoutPort(own) === withoutPort(asked))
}

/** Null for an address that is not of the human's own machine. */
function withoutPort(address: string): string | null {
  if (!isLoopbackCallback(address)) return null
  const url = new URL(address)
  url.port = ''
  return url.href
}
