import * as z from 'zod'
import type { Route } from '#schemas/route'

const VERSION_RULE = 'Field `jsonrpc` must be "2.0". Send one JSON-RPC message of the Model Context Protocol.'
const METHOD_RULE = 'Field `method` must be a method of the Model Context Protocol, such as `tools/list`.'

/** The Model Context Protocol over Streamable HTTP, without sessions (docs/agents.md). */
export const mcpRoutes = {
  mcp: {
    method: 'POST',
    path: '/mcp',
    tag: 'MCP',
    summary: 'The reports as tools of the Model Context Protocol',
    function: 'mcp',
    auth: 'account',
    resource: '/mcp',
    // No cookie: a page must not act with the session of a browser.
    credentials: ['agent_session', 'api_key', 'demo'],
    body: z.looseObject({ jsonrpc: z.literal('2.0', VERSION_RULE), method: z.string(METHOD_RULE) }),
    responses: {
      200: { description: 'The JSON-RPC response', contentType: 'application/json' },
      202: { description: 'A notification was received' },
    },
    errors: [],
  },
} as const satisfies Record<string, Route>
