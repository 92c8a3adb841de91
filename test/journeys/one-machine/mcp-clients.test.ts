import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '#test/support/browser'
import { installInspector } from '#test/support/inspector'
import { OAuthMemory } from '#test/support/oauth-memory'
import { listenForCallback } from '#test/support/reference-client'
import { cleanUp, type Service, startService } from '#test/support/service-process'

/**
 * Clients of the Model Context Protocol that others have written, against the service as `npm start` runs it:
 * from the address of /mcp alone to an answer, with a human in a browser.
 */

let service: Service
let browser: Browser
let page: Page
const running = new Set<IPty>()

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), launchBrowser()])
  page = await (await browser.newContext()).newPage()
  const [setupLink = ''] = /http:\S+\/setup\/\S+/.exec(service.output()) ?? []
  await page.goto(setupLink)
  await page.getByRole('button', { name: 'Sign in' }).click()
})
afterAll(async () => {
  for (const child of running) child.kill()
  await browser.close()
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
    await expect.poll(status, { timeout: 20_000 }).toBe(401)
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

describe('the command line of the Inspector', () => {
  test('signs in by a browser, lists the tools and calls one', async context => {
    const inspector = await installInspector()
    if (inspector === null) return context.skip('The registry is not in reach.')
    const listener = await listenForCallback()
    const port = new URL(listener.url).port
    listener.close()
    const home = join(service.dataDir, 'inspector')
    /** It signs in on a terminal alone. The columns are many, so that no address is broken. */
    const run = (...args: string[]) => {
      const child = spawn(
        process.execPath,
        [
          ...[inspector, '--cli', `${service.baseUrl}/mcp`, '--transport', 'http', '--format', 'json'],
          ...['--callback-url', `http://127.0.0.1:${port}/oauth/callback`, ...args],
        ],
        {
          cols: 10_000,
          env: {
            PATH: process.env.PATH as string,
            HOME: home,
            MCP_AUTO_OPEN_ENABLED: 'false',
            MCP_STORAGE_DIR: join(home, 'storage'),
            MCP_INSPECTOR_SECRET_STORE: 'file',
          },
        },
      )
      running.add(child)
      let written = ''
      child.onData(text => {
        written += text
      })
      const ended = new Promise<number>(resolve =>
        child.onExit(({ exitCode }) => {
          running.delete(child)
          resolve(exitCode)
        }),
      )
      return { ended, written: () => written }
    }
    const listed = run('--method', 'tools/list')
    const opened = () => /http:\/\/\S+\/oauth\/authorize\?[\w.~%&=+:/-]+/.exec(listed.written())?.[0]
    await expect.poll(opened, { timeout: 120_000 }).toBeDefined()
    await decide(opened() ?? '', 'Approve')
    expect([await listed.ended, listed.written()]).toEqual([0, expect.stringContaining('"overview"')])

    // It keeps its session.
    const called = run('--method', 'tools/call', '--tool-name', 'overview', '--stored-auth-only')
    expect([await called.ended, called.written()]).toEqual([0, expect.stringContaining('|demo|')])
  })
})
