import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { expect, type TestContext } from 'vitest'
import type { Deployment } from '#test/support/deployment'
import { OAuthMemory } from '#test/support/oauth-memory'
import { listenForCallback } from '#test/support/reference-client'
import { openInspector } from '#test/support/run-inspector'

/** The official MCP client, from the address of /mcp to an answer of a tool. */
export async function connectMcpClient({ baseUrl, publicUrl }: Deployment, page: Page): Promise<void> {
  const listener = await listenForCallback()
  const authProvider = new OAuthMemory(listener.url)
  const connect = async () => {
    const client = new Client({ name: 'journey', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), {
      authProvider,
      fetch: (url, options) => fetch(String(url).replace(publicUrl, baseUrl), options),
    })
    return { client, transport, connected: client.connect(transport) }
  }
  const first = await connect()
  await expect(first.connected).rejects.toThrow(UnauthorizedError)
  await page.goto(authProvider.opened[0] ?? '')
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  expect(await page.textContent('body'), 'page after the approval').toEqual('Back in the client')
  await first.transport.finishAuth(listener.close() ?? new URLSearchParams())
  const { client, connected } = await connect()
  await connected
  const { isError, structuredContent } = await client.callTool({ name: 'overview', arguments: {} })
  expect([isError, structuredContent], 'answer of a tool').toEqual([undefined, expect.any(Object)])
  await client.close()
  await page.goto('/settings/sessions')
  await page.getByRole('button', { name: 'Disconnect SDK of a test' }).click()
  await expect
    .poll(
      async () => {
        const headers = { Authorization: `Bearer ${authProvider.stored?.access_token}` }
        return (await fetch(`${baseUrl}/account`, { headers })).status
      },
      { message: 'status of a disconnected client' },
    )
    .toBe(401)
}

/** The command line of the MCP Inspector, from the address of /mcp to an answer of a tool. */
export async function connectInspector(service: Deployment, page: Page, task: TestContext): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'footfall-inspector-home-'))
  const inspector = await openInspector(service, home)
  if (inspector === null) return task.skip('The registry is not in reach.')
  try {
    const listed = await inspector.runWithSignIn(['--method', 'tools/list'], async address => {
      await page.goto(address)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
    })
    expect(listed).toEqual([0, expect.stringContaining('"overview"')])
    const call = ['--method', 'tools/call', '--tool-name', 'overview', '--stored-auth-only']
    expect(await inspector.run(call)).toEqual([0, expect.stringContaining('"structuredContent"')])
  } finally {
    inspector.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
