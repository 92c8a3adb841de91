import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { codeIdOf } from '#core/access/exchanges'
import { sessionCookie } from '#lambdas/http/cookies'
import { sharedBrowser } from '#test/support/browser'
import { OWNER_EMAIL, openPagesService, type PagesService } from '#test/support/pages-service'

/** Where MCP clients send a human: what is refused, and where a browser is led. */

const DOCUMENT = 'https://client.example/metadata.json'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const HTTPS_CALLBACK = 'https://client.example/callback'

let service: PagesService
let browser: Browser
let documents: Record<string, object> = {}

beforeAll(async () => {
  const outbound = {
    fetch: async (url: string) => ({
      url,
      redirects: [],
      status: documents[url] === undefined ? 404 : 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(documents[url] ?? {})),
      isCut: false,
    }),
  }
  ;[service, browser] = await Promise.all([openPagesService({ outbound }), sharedBrowser()])
})
afterAll(() => service?.close())
beforeEach(() => {
  documents = {
    [DOCUMENT]: {
      client_id: DOCUMENT,
      client_name: 'A \u202Eclient <b>of</b> tests',
      redirect_uris: [HTTPS_CALLBACK, 'http://127.0.0.1/callback'],
    },
  }
})

const GOOD = {
  client_id: DOCUMENT,
  redirect_uri: 'http://127.0.0.1:4567/callback',
  response_type: 'code',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'a state & more',
  scope: 'projects:read analytics:read unknown:scope',
}
type Changes = Partial<Record<keyof typeof GOOD | 'resource', string | undefined>>

function addressOf(changes: Changes = {}): string {
  const parameters = Object.entries({ ...GOOD, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `${service.baseUrl}/oauth/authorize?${new URLSearchParams(parameters)}`
}

const open = (changes: Changes = {}, accept = 'text/html') =>
  fetch(addressOf(changes), { redirect: 'manual', headers: { Accept: accept } })

test('a good request leads to the approval page, and waits there with what the client has asked for', async () => {
  const response = await open({ resource: `${service.baseUrl}/mcp` })
  expect(response.status).toBe(303)
  const id = response.headers.get('location')?.split('/').at(-1) ?? ''
  expect(await service.authRequests.get(id)).toMatchObject({
    status: 'pending',
    mode: 'interactive',
    client_type: 'mcp',
    callback_url: GOOD.redirect_uri,
    scopes: ['projects:read', 'analytics:read'],
    oauth: {
      client_id: DOCUMENT,
      issuer: service.baseUrl,
      state: GOOD.state,
      resource: `${service.baseUrl}/mcp`,
    },
  })
})

test('a client that asks for no scope may only read', async () => {
  const response = await open({ scope: undefined })
  const request = await service.authRequests.get(response.headers.get('location')?.split('/').at(-1) ?? '')
  expect(request?.scopes).toEqual([
    'account:read',
    'projects:read',
    'analytics:read',
    'experiments:read',
    'live:read',
  ])
})

describe('nobody is sent anywhere', () => {
  test.each<[string, Changes, string]>([
    ['without a client', { client_id: undefined }, 'invalid_request'],
    ['by an unknown client', { client_id: `aoc_${'0'.repeat(32)}` }, 'invalid_client'],
    ['by a client whose document is not there', { client_id: `${DOCUMENT}x` }, 'invalid_client'],
    ['by a client of http', { client_id: 'http://client.example/metadata.json' }, 'invalid_client'],
    ['without a redirect address', { redirect_uri: undefined }, 'invalid_request'],
    ['to an address of a stranger', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
    ['to a longer address', { redirect_uri: `${HTTPS_CALLBACK}/more` }, 'invalid_request'],
    ['to another path of loopback', { redirect_uri: 'http://127.0.0.1:4567/other' }, 'invalid_request'],
    ['to a script', { redirect_uri: 'javascript:alert(1)' }, 'invalid_request'],
    ['to itself', { redirect_uri: '' }, 'invalid_request'],
  ])('%s', async (_, changes, error) => {
    // Also when the rest is wrong.
    for (const more of [{}, { response_type: 'token', code_challenge: undefined }]) {
      const page = await open({ ...changes, ...more })
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
      expect(page.headers.get('content-type')).toContain('text/html')
      const text = await page.text()
      expect(text).toContain(`Code: ${error}`)
      expect(text).not.toMatch(/href="(https:|javascript:)/)
      const program = await open({ ...changes, ...more }, 'application/json')
      expect([program.status, ((await program.json()) as { error: string }).error]).toEqual([400, error])
    }
  })
})

const FAULTS: [string, Changes, string][] = [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge in hex', { code_challenge: 'ab'.repeat(32) }, 'invalid_request'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['an implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
  ['unknown scopes alone', { scope: 'admin root' }, 'invalid_scope'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
]

describe('a program on this computer hears', () => {
  test.each(FAULTS)('of %s by a redirect with state and issuer', async (_, changes, error) => {
    const response = await open(changes)
    expect(response.status).toBe(302)
    const { origin, pathname, searchParams } = new URL(response.headers.get('location') ?? '')
    expect([origin, pathname]).toEqual(['http://127.0.0.1:4567', '/callback'])
    expect(Object.fromEntries(searchParams)).toEqual({
      error,
      error_description: expect.any(String),
      state: GOOD.state,
      iss: service.baseUrl,
    })
  })
})

describe('a site hears', () => {
  test.each(FAULTS)('of %s when the human follows a link, and not before', async (_, changes, error) => {
    const response = await open({ ...changes, redirect_uri: HTTPS_CALLBACK })
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    const link = /href="(https:[^"]+)"/.exec(await response.text())?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { origin, searchParams } = new URL(link)
    expect([origin, searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'https://client.example',
      error,
      GOOD.state,
      service.baseUrl,
    ])
  })

  test('nothing of a state that is too long', async () => {
    const response = await open({ state: 'x'.repeat(2_049), redirect_uri: HTTPS_CALLBACK })
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })
})

/** A browser without JavaScript that signs in on the way. */
async function decide(
  address: string,
  button: 'Approve' | 'Approve reading only' | 'Deny',
  seen: (page: Page) => Promise<void>,
) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  try {
    await page.goto(address)
    await page.getByRole('link', { name: 'Continue with this machine' }).click()
    await page.getByLabel('E-mail address').fill(OWNER_EMAIL)
    await page.getByLabel('Sign-in code').fill(service.code())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await seen(page)
    await page.getByRole('button', { name: button, exact: true }).click()
    return await page.content()
  } finally {
    await context.close()
  }
}

/** The listener of a program on this computer. */
async function listen() {
  const calls: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://client')
    if (url.pathname === '/callback') calls.push(url.searchParams)
    response.setHeader('Content-Type', 'text/html').end('<h1>Back in the client</h1>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { redirect_uri: `http://127.0.0.1:${port}/callback`, calls, close: () => server.close() }
}

describe('in a browser', () => {
  test.each([
    ['Approve', ['code', 'state', 'iss']],
    ['Deny', ['error', 'state', 'iss']],
  ] as const)('%s leads from the sign-in back to the program', async (button, keys) => {
    const client = await listen()
    const content = await decide(addressOf({ redirect_uri: client.redirect_uri }), button, async page => {
      const text = (await page.textContent('main')) ?? ''
      expect(text).toContain('“A client <b>of</b> tests”')
      expect(text).toContain('the name is unverified')
      expect(text).toMatch(/Describes itself at\s*client\.example/)
      expect(text).toMatch(/Returns to\s*127\.0\.0\.1:\d+ on this computer/)
      expect(text).toContain('Read the analytics of your projects')
      expect(text).not.toContain('Compare this code')
    })
    expect(content).toContain('Back in the client')
    expect(client.calls.map(call => [...call.keys()])).toEqual([keys])
    expect([client.calls[0]?.get('state'), client.calls[0]?.get('iss')]).toEqual([
      GOOD.state,
      service.baseUrl,
    ])
    client.close()
  })

  test('the human may grant reading only to a client that asks for more', async () => {
    const client = await listen()
    const scope = 'projects:read analytics:read projects:write'
    await decide(
      addressOf({ redirect_uri: client.redirect_uri, scope }),
      'Approve reading only',
      async () => {},
    )
    const code = client.calls[0]?.get('code') ?? ''
    const request = await service.authRequests.get(codeIdOf(code))
    expect([request?.status, request?.scopes]).toEqual(['approved', ['projects:read', 'analytics:read']])
    client.close()
  })

  test('there is no such choice where a client only reads, and a form that claims it changes nothing', async () => {
    const client = await listen()
    await decide(addressOf({ redirect_uri: client.redirect_uri }), 'Approve', async page => {
      expect(await page.getByRole('button').allTextContents()).not.toContain('Approve reading only')
      const csrf = await page.locator('input[name=csrf]').first().getAttribute('value')
      const form = { csrf: csrf ?? '', decision: 'approve_reading' }
      expect((await page.request.post(page.url(), { form })).status()).toBe(400)
    })
    client.close()
  })

  test('the approval leaves for a site, whose host the page names', async () => {
    const left: string[] = []
    const address = addressOf({ redirect_uri: HTTPS_CALLBACK })
    const context = await browser.newContext({ baseURL: service.baseUrl })
    const page = await context.newPage()
    const { token } = await service.browserSessions.create(service.owner.id)
    const [name = '', value = ''] = sessionCookie(service.baseUrl).set(token).split(';')[0]?.split('=') ?? []
    await context.addCookies([{ name, value, url: service.baseUrl }])
    page.on('requestfailed', request => left.push(`${request.url()} ${request.failure()?.errorText}`))
    await page.goto(address)
    expect(await page.textContent('main')).toMatch(/Returns to\s*client\.example, which gets the access/)
    await page.getByRole('button', { name: 'Approve' }).click()
    // No such host is in reach of this browser. A policy that stops the redirect would give another error.
    await expect
      .poll(() => left[0])
      .toMatch(/^https:\/\/client\.example\/callback\?code=aae_\w+&.* net::ERR_PROXY/)
    await context.close()
  })
})
