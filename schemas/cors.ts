/**
 * The rights of pages of other origins (R17): all requests, without cookies. The functions put these headers
 * on every response (lambdas/http/response.ts). On AWS the API itself responds to preflights (lib/api.ts).
 */
export const CORS = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: [
    ...['Content-Type', 'X-API-Key', 'Authorization', 'If-Match'],
    // A client of MCP in a browser sends them (docs/agents.md).
    ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ],
  /** Headers of responses that a page may read besides those that every page may. */
  exposed: [
    // How a client signs in (R6); API Gateway renames it.
    ...['WWW-Authenticate', 'x-amzn-remapped-www-authenticate'],
    ...['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
    ...['ETag', 'Age', 'X-Footfall-Receipt'],
  ],
  /** How long a browser remembers a preflight, s. With a day the tracker causes one preflight a day. */
  maxAgeSeconds: 86_400,
} as const
