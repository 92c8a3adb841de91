import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { keepPort } from '#test/support/keep-port'
import { OAuthMemory } from '#test/support/oauth-memory'
import { listenForCallback } from '#test/support/reference-client'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { startTlsProxy, tlsCertificate } from '#test/support/tls-proxy'

/**
 * The sign-in of an MCP client at a service behind TLS, as an operator runs it: a proxy has the certificate,
 * BASE_URL is its address, and every address that the client follows must be one of TLS.
 */

const trusted = getCACertificates('default')

let proxy: Awaited<ReturnType<typeof startTlsProxy>>
let service: Service
let browser: Browser
let page: Page
let baseUrl: string

beforeAll(async () => {
  const port = await keepPort()
  proxy = await startTlsProxy(port)
  baseUrl = `https://localhost:${proxy.port}`
  ;[service, browser] = await Promise.all([
    startService({ port, env: { BASE_URL: baseUrl, TRUSTED_PROXIES: '127.0.0.1' } }),
    sharedBrowser(),
  ])
  page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  const [setupLink = ''] = /https:\S+\/setup\/\S+/.exec(service.output()) ?? []
  await page.goto(setupLink)
  await page.getByRole('button', { name: 'Sign in' }).click()
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await page?.context().close()
  proxy?.close()
  await cleanUp()
})

/** Notes every address that the client asks. */
function connect(authProvider: OAuthMemory, asked: string[]) {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
    authProvider,
    fetch: (url, options) => {
      asked.push(String(url))
      return fetch(url, options)
    },
  })
  return { client, transport, connected: client.connect(transport) }
}

test('a client that does not trust the certificate sends nothing', async () => {
  const memory = new OAuthMemory('http://127.0.0.1:1/callback')
  await expect(connect(memory, []).connected).rejects.toThrow(/fetch failed/)
  expect(memory.opened).toEqual([])
})

test('a client signs in with its human and calls a tool, over TLS at every step', async () => {
  setDefaultCACertificates([...trusted, tlsCertificate])
  const listener = await listenForCallback()
  const memory = new OAuthMemory(listener.url)
  const asked: string[] = []
  const first = connect(memory, asked)
  await expect(first.connected).rejects.toThrow(UnauthorizedError)
  const [authorize = ''] = memory.opened
  expect(new URL(authorize).searchParams.get('resource')).toBe(`${baseUrl}/mcp`)
  await page.goto(authorize)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ secure: true, name: expect.stringMatching(/^__Host-/) })
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
  const callback = listener.close() ?? new URLSearchParams()
  expect(callback.get('iss')).toBe(baseUrl)
  await first.transport.finishAuth(callback)

  const { client, connected } = connect(memory, asked)
  await connected
  const { isError, structuredContent } = await client.callTool({ name: 'overview', arguments: {} })
  expect([isError, structuredContent]).toEqual([undefined, expect.any(Object)])
  await client.close()
  expect([...asked, ...memory.opened].filter(url => new URL(url).origin !== baseUrl)).toEqual([])
})
