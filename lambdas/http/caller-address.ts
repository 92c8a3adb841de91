type Headers = Record<string, string | undefined>

/**
 * The address of the caller of an HTTP API. Behind CloudFront, the gateway's own peer is CloudFront: then it
 * is the last but one entry of X-Forwarded-For, which CloudFront appends. Without CloudFront (`edgeKey` is
 * empty), a caller can forge the header.
 */
export function callerOfApi(peer: string, headers: Headers, edgeKey: string): string {
  if (edgeKey === '') return peer
  return headers['x-forwarded-for']?.split(',').at(-2)?.trim() || peer
}

/**
 * The address of the caller of a function URL. With an edge key the peer is CloudFront. It appends the viewer
 * to X-Forwarded-For; behind it may stand CloudFront's own address.
 */
export function callerOfUrl(peer: string, headers: Headers, edgeKey: string): string {
  if (edgeKey === '') return peer
  const entries = (headers['x-forwarded-for'] ?? '').split(',').map(entry => entry.trim())
  return (entries.at(-1) === peer ? entries.at(-2) : entries.at(-1)) || peer
}
