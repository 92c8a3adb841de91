import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { OAuthMemory } from '#test/support/oauth-memory'
import { listenForCallback } from '#test/support/reference-client'
import { cleanUp, type Service, startService } from '#test/support/service-process'

/**
 * The official client of the Model Context Protocol against the service as `npm start` runs it: what a
 * session goes through, with a human in a browser. test/browser/journeys/mcp-clients.ts has what also a
 * deployed service must do.
 */

let service: Service
let browser: Browser
let page: Page

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), sharedBrowser()])
  page = await (await browser.newContext()).newPage()
  const [setupLink = ''] = /http:\S+\/setup\/\S+/.exec(service.output()) ?? []
  await page.goto(setupLink)
  await page.getByRole('button', { name: 'Sign in' }).click()
})
afterAll(async () => {
  await page?.context().close()
  await cleanUp()
})

/** What the human does in the browser that the client opens. */
async function decide(url: string, decision: 'Approve' | 'Deny'): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: decision, exact: true }).click()
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
}

const connectWith = async (authProvider: OAuthClientProvider) => {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { authProvider })
  return { client, transport, connected: client.connect(transport) }
}

describe('the official client', () => {
  test('gets from the address of /mcp to an answer, is listed, refreshes its token, and is disconnected', async () => {
    const listener = await listenForCallback()
    const memory = new OAuthMemory(listener.url)
    const first = await connectWith(memory)
    await expect(first.connected).rejects.toThrow(UnauthorizedError)
    await decide(memory.opened[0] ?? '', 'Approve')
    await first.transport.finishAuth(listener.close() ?? new URLSearchParams())

    const { client, connected } = await connectWith(memory)
    await connected
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(3)
    const { content } = await client.callTool({ name: 'overview', arguments: {} })
    expect((content as { text: string }[])[0]?.text).toContain('|demo|')
    await client.close()

    // An access token that is no good: the client refreshes without a human.
    const { access_token } = memory.stored as StoredOAuthTokens
    memory.stored = {
      ...memory.stored,
      access_token: access_token.replace(/.{4}$/, '0000'),
    } as StoredOAuthTokens
    const again = await connectWith(memory)
    await again.connected
    expect((await again.client.listTools()).tools).toHaveLength(tools.length)
    expect(memory.stored?.access_token).not.toBe(access_token)
    await again.client.close()
    expect(memory.opened).toHaveLength(1)

    await page.goto(`${service.baseUrl}/settings/sessions`)
    await page.getByRole('button', { name: 'Disconnect SDK of a test' }).click()
    const status = async () => {
      const headers = { Authorization: `Bearer ${memory.stored?.access_token}` }
      return (await fetch(`${service.baseUrl}/projects`, { headers })).status
    }
    await expect.poll(status, { message: 'status of a disconnected client' }).toBe(401)
    const disconnected = await connectWith(memory)
    await expect(disconnected.connected).rejects.toThrow(UnauthorizedError)
    // It asks the human again.
    expect(memory.opened).toHaveLength(2)
  })

  test('hears that the human said no', async () => {
    const listener = await listenForCallback()
    const memory = new OAuthMemory(listener.url)
    const { transport, connected } = await connectWith(memory)
    await expect(connected).rejects.toThrow(UnauthorizedError)
    await decide(memory.opened[0] ?? '', 'Deny')
    const answer = listener.close() ?? new URLSearchParams()
    await expect(transport.finishAuth(answer)).rejects.toThrow(/access_denied/)
    expect(memory.stored).toBeUndefined()
  })
})
