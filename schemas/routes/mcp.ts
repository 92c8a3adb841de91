import * as z from 'zod'
import type { Route } from '#schemas/route'

const VERSION_RULE = 'Field `jsonrpc` must be "2.0". Send one JSON-RPC message of the Model Context Protocol.'
const METHOD_RULE = 'Field `method` must be a method of the Model Context Protocol, such as `tools/list`.'

const document = {
  method: 'GET',
  tag: 'MCP',
  function: 'site',
  auth: 'none',
  errors: [],
} as const satisfies Partial<Route>
const markdown = { 200: { description: 'Markdown', contentType: 'text/markdown' } } as const

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
      400: { description: 'A JSON-RPC error', contentType: 'application/json' },
    },
    errors: [],
  },
  mcpServerCard: {
    ...document,
    path: '/.well-known/mcp/server-card.json',
    summary: 'The card of the MCP server',
    responses: { 200: { description: 'The card', contentType: 'application/json' } },
  },
  skillDocument: {
    ...document,
    path: '/.well-known/agent-skills/footfall/SKILL.md',
    summary: 'How an assistant works with the reports',
    responses: markdown,
  },
  installDocument: {
    ...document,
    path: '/install.md',
    summary: 'How to install the tracker, and the tools of an assistant',
    responses: markdown,
  },
} as const satisfies Record<string, Route>
