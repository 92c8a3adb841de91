import type { IncomingHttpHeaders } from 'node:http'

/**
 * A host name or an address with an optional port. None of its characters means anything in HTML or a shell.
 */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * The address of the service that a caller has used, without a slash at its end; undefined where its headers
 * name none. A caller may write what it likes into them, so the address may only stand in the response to
 * this caller. `X-Forwarded-Host` and `X-Forwarded-Proto` count from trusted proxies alone (`isForwarded`).
 */
export function usedAddress(headers: IncomingHttpHeaders, isForwarded: boolean): string | undefined {
  const forwarded = (name: string) => (isForwarded ? lastOf(headers[name]) : undefined)
  const host = forwarded('x-forwarded-host') ?? headers.host ?? ''
  if (!HOST.test(host)) return undefined
  const scheme = forwarded('x-forwarded-proto')?.toLowerCase() === 'https' ? 'https' : 'http'
  const address = `${scheme}://${host.toLowerCase()}`
  // A port above 65,535 is none.
  return URL.canParse(address) ? address : undefined
}

/** What the nearest proxy has written. What stands before it may come from the caller. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header ?? []].flat().join(',').split(',').at(-1)?.trim() || undefined
}
