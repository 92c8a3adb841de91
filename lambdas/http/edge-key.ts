import { ApiError } from '#core/errors'
import { isSame } from '#core/secrets/tokens'

/**
 * Throws unless the request came through CloudFront, which adds the header X-Footfall-Edge to each. Otherwise
 * a caller could walk around the web ACL and choose the country and the address that we see. `edgeKey` has
 * the key, or two keys with a comma between them while one replaces the other. Empty: the service has no
 * CloudFront, and anybody may call it directly.
 */
export function requireEdge(headers: Record<string, string | undefined>, edgeKey: string): void {
  if (edgeKey === '') return
  const sent = headers['x-footfall-edge'] ?? ''
  if (!edgeKey.split(',').some(key => isSame(sent, key)))
    throw new ApiError('FORBIDDEN', 'Call the service at its own address, not at the address of its API.')
}
