import type { RunCommand } from '#cli/command'
import { createBridge } from '#cli/mcp/bridge'
import { serveLines } from '#cli/mcp/serve-lines'

/** The tools of the service for a client that starts a process (docs/agents.md). */
export const mcp: RunCommand = {
  name: 'mcp',
  group: 'Tools',
  effect: 'local',
  args: [],
  flags: [],
  summary: 'Serves the tools of the service over stdin and stdout, with the session of this command line',
  example: 'mcp',
  async run(_, { io, baseUrl, credential, say }) {
    await serveLines(io.stdin, io.stdout, createBridge(io, baseUrl(), credential()), say)
  },
}
