/**
 * How common clients add a server of the Model Context Protocol (docs/agents.md). `{url}` is the address of
 * /mcp.
 */
export const MCP_CLIENTS: readonly { client: string; how: string }[] = [
  { client: 'Claude Code', how: 'claude mcp add --transport http footfall {url}' },
  { client: 'Codex', how: 'codex mcp add footfall --url {url}' },
  { client: 'Gemini CLI', how: 'gemini mcp add --transport http footfall {url}' },
  { client: 'VS Code', how: `code --add-mcp '{"name":"footfall","type":"http","url":"{url}"}'` },
  { client: 'Cursor, in .cursor/mcp.json', how: '{"mcpServers":{"footfall":{"url":"{url}"}}}' },
  { client: 'Claude and ChatGPT', how: 'Settings, Connectors, Add custom connector: {url}' },
  { client: 'any client that starts a process', how: 'footfall mcp' },
]

/** The same with the address of a service. */
export function clientSetUps(baseUrl: string): { client: string; how: string }[] {
  return MCP_CLIENTS.map(({ client, how }) => ({ client, how: how.replace('{url}', `${baseUrl}/mcp`) }))
}
