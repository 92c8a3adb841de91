import type { HttpRequest } from './http.ts'

/** A cookie of ours: its value is a secret of one browser, which scripts and other sites cannot use. */
export type Cookie = {
  /** The value that the browser sent; undefined without one. */
  read(request: Pick<HttpRequest, 'headers'>): string | undefined
  /** The Set-Cookie header that keeps the value; without `maxAgeSeconds` until the browser ends. */
  set(value: string, maxAgeSeconds?: number): string
  /** The Set-Cookie header that deletes it. */
  clear(): string
}

/** The cookie of a signed-in browser. */
export function sessionCookie(baseUrl: string): Cookie {
  return cookie('session', baseUrl)
}

/** The cookie of a sign-in that is under way at a provider. */
export function signInCookie(baseUrl: string): Cookie {
  return cookie('sign-in', baseUrl)
}

/**
 * `__Host-` makes the browser refuse the cookie from any other host, and without TLS. Cookies of localhost
 * have neither, and all its ports share them: there the port is in the name, so that two services do not sign
 * each other out.
 */
function cookie(purpose: string, baseUrl: string): Cookie {
  const { protocol, port } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const name = isSecure ? `__Host-footfall-${purpose}` : `footfall-${purpose}-${port || 80}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: ({ headers }) => cookieValue(headers.cookie, name),
    set: (value, maxAgeSeconds) =>
      `${name}=${value}; ${attributes}${maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}
