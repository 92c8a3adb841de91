import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuthRequest } from '#core/access/types'
import { sha256 } from '#core/secrets/tokens'
import { sharedBrowser } from '#test/support/browser'
import { OWNER_EMAIL, openPagesService, type PagesService } from '#test/support/pages-service'

let service: PagesService
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([openPagesService(), sharedBrowser()])
})
afterAll(() => service?.close())

/** A phone without JavaScript: every page must work there. */
async function phone<T>(run: (page: Page, context: BrowserContext) => Promise<T>): Promise<T> {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
    baseURL: service.baseUrl,
  })
  try {
    return await run(await context.newPage(), context)
  } finally {
    await context.close()
  }
}

async function signIn(page: Page, email = OWNER_EMAIL): Promise<void> {
  await page.getByRole('link', { name: 'Continue with this machine' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Sign-in code').fill(service.code())
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs a person in without the pages for it, which have tests of their own. */
async function haveSession(page: Page, accountId = service.owner.id): Promise<void> {
  const { token } = await service.browserSessions.create(accountId)
  const name = `footfall-session-${new URL(service.baseUrl).port}`
  await page.context().addCookies([{ name, value: token, url: service.baseUrl }])
}

/** What the human reads from the client and the page does not show. */
function typeCode(page: Page, { approval_code }: AuthRequest): Promise<void> {
  return page.getByLabel('The last four characters').fill(approval_code.slice(-4))
}

const CLIENT = {
  client_type: 'cli',
  client_name: 'Terminal of Ada',
  label: 'laptop',
  scopes: ['analytics:read' as const, 'projects:write' as const],
}

/** A detached request of a client. */
async function detached() {
  return service.authRequests.start({ ...CLIENT, mode: 'detached' })
}

/** A client's loopback listener, and the request that leads to it. */
async function interactive(host = '127.0.0.1') {
  const calls: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://client')
    if (url.pathname === '/callback') calls.push(url.searchParams)
    response.setHeader('Content-Type', 'text/html').end('<h1>Back in the client</h1>')
  })
  await new Promise<void>(resolve => server.listen(0, host.replace(/[[\]]/g, ''), resolve))
  const { port } = server.address() as AddressInfo
  const { request } = await service.authRequests.start({
    ...CLIENT,
    mode: 'interactive',
    callback_url: `http://${host}:${port}/callback?keep=1`,
    code_challenge: sha256('verifier'),
  })
  return { request, calls, close: () => server.close() }
}

describe('sign-in through the embedded provider', () => {
  test('ends at the page that the person wanted, in a new session', () =>
    phone(async (page, context) => {
      await page.goto('/settings/sessions')
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in to Footfall')
      await signIn(page)
      expect(new URL(page.url()).pathname).toBe('/settings/sessions')
      const cookies = await context.cookies()
      const session = cookies.find(({ name }) => name.startsWith('footfall-session'))
      expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax', secure: false, path: '/' })
      expect(cookies.find(({ name }) => name.startsWith('footfall-sign-in'))).toBeUndefined()
    }))

  test('a wrong code does not sign in', () =>
    phone(async page => {
      await page.goto('/auth/sign-in')
      await page.getByRole('link', { name: 'Continue with this machine' }).click()
      await page.getByLabel('Sign-in code').fill('AAAA-AAAA-AAAA-AAAA')
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(await page.getByRole('alert').textContent()).toBe('This is not the sign-in code.')
      await page.goto('/settings')
      expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
    }))

  test('an address that nobody admitted gets no account under the profile `own`', () =>
    phone(async page => {
      await page.goto('/auth/sign-in')
      await signIn(page, 'stranger@example.com')
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This is not allowed')
    }))

  test('a response that was begun in another browser is refused', () =>
    phone(async page => {
      await page.goto('/auth/sign-in')
      await page.getByRole('link', { name: 'Continue with this machine' }).click()
      const form = { email: OWNER_EMAIL, code: service.code() }
      let response = await page.request.post(page.url(), { form, maxRedirects: 0 })
      let stolen = response.headers().location ?? ''
      while (!stolen.includes('/auth/callback/')) {
        response = await page.request.get(stolen, { maxRedirects: 0 })
        stolen = response.headers().location ?? ''
      }
      await phone(async other => {
        const response = await other.goto(stolen)
        expect(response?.status()).toBe(403)
        await other.goto('/settings')
        expect(new URL(other.url()).pathname).toBe('/auth/sign-in')
      })
    }))
})

test('the setup link signs the owner in once', () =>
  phone(async page => {
    const token = await service.setupLinks.issue(service.owner.id)
    await page.goto(`/setup/${token}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(new URL(page.url()).pathname).toBe('/app')
    await page.goto('/settings')
    expect(await page.getByRole('definition').first().textContent()).toBe(OWNER_EMAIL)
    await phone(async other => {
      expect((await other.goto(`/setup/${token}`))?.status()).toBe(404)
    })
  }))

test('a second way to sign in leads to the same account, and the audit log has it', () =>
  phone(async page => {
    await page.goto('/settings')
    await signIn(page)
    await page.getByRole('link', { name: 'Add a way to sign in' }).click()
    await signIn(page, 'second@example.com')
    expect(new URL(page.url()).pathname).toBe('/settings')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await signIn(page, 'second@example.com')
    await page.goto('/settings')
    expect(await page.textContent('dl')).toContain(service.owner.id)
    const { entries } = (await service.audit.list(service.owner.id, 1_000)) ?? { entries: [] }
    const actor = { type: 'cookie', id: expect.stringMatching(/^brs_/), label: null }
    expect(entries).toContainEqual(expect.objectContaining({ actor, action: 'sign_in_added' }))
  }))

test('a second sign-in in a browser ends its first session', () =>
  phone(async (page, context) => {
    const cookie = async () => {
      const cookies = await context.cookies()
      return cookies.find(({ name }) => name.startsWith('footfall-session'))?.value ?? ''
    }
    await page.goto('/auth/sign-in')
    await signIn(page)
    const first = await cookie()
    expect(await service.browserSessions.byToken(first)).not.toBeNull()
    await page.goto('/auth/sign-in?switch=1')
    await signIn(page)
    expect(await cookie()).not.toBe(first)
    expect(await service.browserSessions.byToken(first)).toBeNull()
  }))

test('sign-out ends this browser session and no other', () =>
  phone(page =>
    phone(async other => {
      for (const each of [page, other]) {
        await each.goto('/auth/sign-in')
        await signIn(each)
      }
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You are signed out')
      await page.goto('/settings')
      expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
      await other.goto('/settings')
      expect(new URL(other.url()).pathname).toBe('/settings')
    }),
  ))

describe('approval', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]'])('sends the browser back to the client at %s', host =>
    phone(async page => {
      const { request, calls, close } = await interactive(host)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      expect(await page.textContent('main')).toContain(request.approval_code)
      await signIn(page)
      expect(await page.textContent('main')).toContain(OWNER_EMAIL)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      expect(await page.textContent('h1')).toBe('Back in the client')
      const [call] = calls
      expect(call?.get('keep')).toBe('1')
      expect(call?.get('request_id')).toBe(request.id)
      const code = call?.get('exchange_code') ?? ''
      const won = await service.authRequests.exchange(request.id, code, 'verifier')
      expect(won.account_id).toBe(service.owner.id)
      close()
    }),
  )

  test('a denied interactive request tells the client at once', () =>
    phone(async page => {
      const { request, calls, close } = await interactive()
      await haveSession(page)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      await page.getByRole('button', { name: 'Deny' }).click()
      expect(await page.textContent('h1')).toBe('Back in the client')
      expect(calls[0]?.get('error')).toBe('access_denied')
      expect(calls[0]?.get('exchange_code')).toBeNull()
      close()
    }))

  test('the finish code of a detached request works once', () =>
    phone(async page => {
      const { request } = await detached()
      await haveSession(page)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      await typeCode(page, request)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      const code = (await page.textContent('#finish-code')) ?? ''
      expect(code).toMatch(/^aae_/)
      const won = await service.authRequests.exchange(request.id, code, undefined)
      expect(won.account_id).toBe(service.owner.id)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      expect(await page.textContent('main')).not.toContain(code)
    }))

  test('a detached request needs the end of the code, which the page does not show; the fifth wrong one denies it', () =>
    phone(async page => {
      const { request } = await detached()
      await haveSession(page)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      const text = (await page.textContent('main')) ?? ''
      expect(text).toContain(request.approval_code.slice(0, 4))
      expect(await page.content()).not.toContain(request.approval_code.slice(-4))
      for (const left of ['4 more times', '3 more times', '2 more times', 'once more']) {
        await page.getByLabel('The last four characters').fill('----')
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        expect(await page.getByRole('alert').textContent()).toContain(`You can try ${left}.`)
        expect((await service.authRequests.get(request.id))?.status).toBe('pending')
      }
      await page.getByLabel('The last four characters').fill('zzzz')
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      expect(await page.textContent('h1')).toBe('Denied')
      expect((await service.authRequests.get(request.id))?.status).toBe('revoked')
    }))

  test('the right code after wrong ones approves, in any case and with blanks', () =>
    phone(async page => {
      const { request } = await detached()
      await haveSession(page)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      for (const typed of ['----', ` ${request.approval_code.slice(-4).toLowerCase()} `]) {
        await page.getByLabel('The last four characters').fill(typed)
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
      }
      expect(await page.textContent('#finish-code')).toMatch(/^aae_/)
    }))

  test('a post without a code approves no detached request and costs no try', () =>
    phone(async page => {
      const { request } = await detached()
      const path = `/agent-sessions/authorize/${request.id}`
      await haveSession(page)
      await page.goto(path)
      const csrf = await page.locator('input[name=csrf]').first().getAttribute('value')
      for (let i = 0; i < 6; i++) {
        const response = await page.request.post(path, { form: { decision: 'approve', csrf: csrf ?? '' } })
        expect(response.status()).toBe(400)
      }
      expect((await service.authRequests.get(request.id))?.status).toBe('pending')
    }))

  test('the page says how old the request is, from where and from which network, and calls the name unverified', () =>
    phone(async page => {
      const { request } = await service.authRequests.start({
        ...CLIENT,
        client_name: `Bank\u202e of\u200b\nAda ${'x'.repeat(60)}`,
        mode: 'detached',
        country: 'DE',
        network: 'another',
      })
      service.wait(3 * 60_000)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      const text = (await page.textContent('main')) ?? ''
      expect(text).toContain('3 minutes ago, from Germany')
      expect(text).toContain('It was asked from another network than yours.')
      expect(text).toContain(`“Bank of Ada ${'x'.repeat(27)}…”`)
      expect(text).toContain('unverified')
      expect(text).toContain('erase people')
    }))

  test('a request from the human’s own network has no warning', () =>
    phone(async page => {
      const address = new URL(service.baseUrl).hostname
      const { address: own } = await lookup(address)
      const network = await service.guards.networkHash(own)
      for (const [other, shown] of [
        [network, 0],
        ['other', 1],
      ] as const) {
        const { request } = await service.authRequests.start({ ...CLIENT, mode: 'detached', network: other })
        await page.goto(`/agent-sessions/authorize/${request.id}`)
        expect(await page.getByText('another network').count()).toBe(shown)
      }
    }))

  test('a client that requires an account gets setup help for a new person, and no account is made', () =>
    phone(async page => {
      const email = 'friend@example.com'
      const { request } = await service.authRequests.start({
        ...CLIENT,
        mode: 'detached',
        requires_existing_account: true,
      })
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      await signIn(page, email)
      expect(await page.textContent('h1')).toBe('There is no account yet')
      await page.goto('/settings')
      expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
      expect((await service.authRequests.get(request.id))?.status).toBe('pending')
      await signIn(page, email)
      expect(await page.textContent('main')).toContain(email)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      await typeCode(page, request)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      expect(await page.textContent('#finish-code')).toMatch(/^aae_/)
    }))

  test('a form without the CSRF token of this session changes nothing', () =>
    phone(async page => {
      const { request } = await detached()
      await haveSession(page)
      await page.goto(`/agent-sessions/authorize/${request.id}`)
      const path = `/agent-sessions/authorize/${request.id}`
      for (const csrf of ['', 'a'.repeat(64)]) {
        const form = { decision: 'approve', csrf }
        expect((await page.request.post(path, { form })).status()).toBe(403)
      }
      expect((await service.authRequests.get(request.id))?.status).toBe('pending')
    }))

  test('a request that is too old is gone, as HTML for browsers and as JSON for others', async () => {
    const { request } = await detached()
    service.wait(25 * 3_600_000)
    const address = `${service.baseUrl}/agent-sessions/authorize/${request.id}`
    const json = await fetch(address)
    expect(json.status).toBe(410)
    expect(await json.json()).toMatchObject({ error: 'AUTH_REQUEST_EXPIRED' })
    const page = await fetch(address, { headers: { Accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8'])
    expect((await fetch(`${service.baseUrl}/agent-sessions/authorize/req_0`)).status).toBe(404)
  })
})

test('a person disconnects an agent', () =>
  phone(async page => {
    const { session } = await connectedAgent()
    expect(await service.agentSessions.byAccessToken(session.access_token)).not.toBeNull()
    await haveSession(page)
    await page.goto('/settings/sessions')
    await page.getByRole('button', { name: 'Disconnect Terminal of Ada' }).first().click()
    await expect
      .poll(async () => service.agentSessions.byAccessToken(session.access_token), {
        message: 'session of a disconnected agent',
      })
      .toBeNull()
    expect(await page.textContent('main')).toContain('Disconnected')
  }))

async function connectedAgent() {
  const { request } = await detached()
  const { finish_code } = await service.authRequests.approve(request.id, service.owner)
  const won = await service.authRequests.exchange(request.id, finish_code ?? '', undefined)
  return { session: await service.agentSessions.issue(won.account_id, won.request) }
}

describe('the callback of a provider', () => {
  const ODD = [
    '',
    'code=x',
    'code=x&state=y',
    'error=server_error&error_description=%3Cscript%3E',
    'error=',
    'state=%00',
    `code=${'x'.repeat(4_000)}`,
    'iss=http://other.example&code=1',
    'response=eyJ',
    'code=1&code=2',
  ]

  test.each(['text/html', 'application/json'])('never answers 5xx for bad input: %s', async Accept => {
    const { length: before } = service.logged
    for (const query of ODD) {
      for (const provider of ['idp', 'code_host', 'a%0Ab']) {
        // A sign-in that is under way, and none.
        const begun = await fetch(`${service.baseUrl}/auth/start/idp?to=/settings`, { redirect: 'manual' })
        const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
        expect(cookie).toContain('sign-in')
        for (const sent of [null, cookie, `${cookie}x`]) {
          const headers = new Headers(sent === null ? { Accept } : { Accept, Cookie: sent })
          const response = await fetch(`${service.baseUrl}/auth/callback/${provider}?${query}`, { headers })
          expect([query, provider, response.status]).toEqual([
            query,
            provider,
            expect.toSatisfy(status => status >= 400 && status < 500),
          ])
        }
      }
    }
    expect(service.logged.slice(before)).toEqual([])
  })
})

test('another provider with a known address asks for the old way first, then adds itself to the account', () =>
  phone(async page => {
    const email = 'known@example.com'
    const known = await service.accounts.create({ email, tier: 'pro', complimentary: true })
    const old = {
      provider: 'code_host',
      issuer: 'https://code.example',
      subject: '1',
      email,
      login: 'known',
    } as const
    await service.identities.link(known.id, old)
    await page.goto('/auth/sign-in')
    await signIn(page, email)
    expect(await page.textContent('h1')).toBe('Sign in the old way first')
    expect(await page.textContent('main')).toContain(email)
    await page.goto('/settings')
    expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
    // The old way is proved; the new one is added in the same browser.
    await haveSession(page, known.id)
    await page.goto('/auth/start/idp?add=1&to=/settings')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Sign-in code').fill(service.code())
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.textContent('dl')).toContain(known.id)
  }))

test('`/` is kept by no cache, because it is a page for browsers and a text for others', async () => {
  for (const Accept of ['text/html', 'text/plain', '*/*']) {
    const { headers } = await fetch(`${service.baseUrl}/`, { headers: { Accept } })
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-store', 'Accept, Cookie'])
  }
  const { headers } = await fetch(`${service.baseUrl}/llms.txt`)
  expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['public, max-age=300', null])
})
