import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { countTokens } from 'gpt-tokenizer'
import type { CallTool } from './probe.ts'

export type McpTools = {
  /** The tools as a chat completion takes them. */
  functions: { name: string; description: string; parameters: unknown }[]
  /** What this list costs a model, by the tokenizer o200k_base. */
  listTokens: number
  callTool: CallTool
  close(): Promise<void>
}

/** The tools of an MCP server over HTTP, by the official client. */
export async function connectTools(url: string, token: string): Promise<McpTools> {
  const client = new Client({ name: 'bench-agent', version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const { tools } = await client.listTools()
  const functions = tools.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    parameters: inputSchema,
  }))
  return {
    functions,
    listTokens: countTokens(JSON.stringify(functions)),
    async callTool({ tool, args }) {
      const result = await client.callTool({ name: tool, arguments: args })
      const parts = result.content as { type: string; text?: string }[]
      const text = parts.map(part => part.text ?? `[${part.type}]`).join('\n')
      return { text, isError: result.isError === true }
    },
    close: () => client.close(),
  }
}
