/**
 * The rights of pages of other origins (R17): all requests, without cookies. The functions put these headers
 * on every response (lambdas/response.ts). On AWS the API itself responds to preflights (lib/api.ts).
 */
export const CORS = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: [
    ...['Content-Type', 'X-API-Key', 'Authorization', 'If-Match'],
    // A client of MCP in a browser sends them (docs/agents.md).
    ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ],
  /** How long a browser remembers a preflight, s. With a day the tracker causes one preflight a day. */
  maxAgeSeconds: 86_400,
} as const
