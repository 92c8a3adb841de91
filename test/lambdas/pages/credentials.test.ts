import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Billing, badSignature } from '#core/billing/billing'
import { sessionCookie } from '#lambdas/http/cookies'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/**
 * Every page with every kind of credential. A page that is added needs a signed-in browser, or a line in
 * PUBLIC.
 */

/** What anybody gets there; the ids and links of this test are unknown. */
const PUBLIC: Partial<Record<RouteName, number>> = {
  home: 200,
  llms: 200,
  pagesScript: 200,
  signInPage: 200,
  startSignIn: 404,
  finishSignIn: 404,
  askPasskey: 200,
  // Without an answer of a passkey.
  signInByPasskey: 400,
  setupPage: 404,
  redeemSetup: 404,
  // Without a client id nobody is sent anywhere.
  authorizeClient: 400,
  authorizePage: 404,
  // The demo is open to everybody; its page has no numbers.
  dashboardDemo: 200,
  // An unknown link.
  sharedDashboard: 404,
  sharedView: 404,
  // Nobody has signed the event.
  paymentWebhook: 403,
}
/** What a signed-in browser gets there whose account pays nothing. */
const WITHOUT_PAYMENTS: Partial<Record<RouteName, number>> = { spendCapPage: 403 }
const rows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.auth === 'browser',
)

/**
 * A payment provider that nobody pays at. Without one the pages of payments are not there
 * (turned-off.test.ts).
 */
const billing = {
  checkoutOrigin: 'https://pay.example',
  takeWebhook: async () => {
    throw badSignature()
  },
} as unknown as Billing

let service: PagesService
beforeAll(async () => {
  service = await openPagesService({ billing: async () => billing })
})
afterAll(() => service.close())

const cookieOf = (token: string) => ({
  Cookie: String(sessionCookie(service.baseUrl).set(token).split(';')[0]),
})

async function signedIn(): Promise<Record<string, string>> {
  return cookieOf((await service.browserSessions.create(service.owner.id)).token)
}

/** Credentials that open no page of an account. */
const strangers: [string, () => Promise<Record<string, string>>][] = [
  ['no credential', async () => ({})],
  ['an unknown cookie', async () => cookieOf('unknown')],
  [
    'the cookie of a browser that has signed out',
    async () => {
      const { token } = await service.browserSessions.create(service.owner.id)
      await service.browserSessions.end(token)
      return cookieOf(token)
    },
  ],
  [
    'an agent session',
    async () => {
      const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
      const session = await service.agentSessions.issue(service.owner.id, {
        ...client,
        scopes: ['account:read'],
      })
      return { Authorization: `Bearer ${session.access_token}` }
    },
  ],
  ['an API key', async () => ({ 'X-API-Key': await service.accounts.issueApiKey(service.owner.id) })],
]

function addressOf({ path }: Pick<Route, 'path'>): string {
  return path.replace(/\{\w+\}/g, 'unknown')
}

function send(route: Route, headers: Record<string, string>): Promise<Response> {
  return fetch(service.baseUrl + addressOf(route), {
    method: route.method,
    redirect: 'manual',
    headers: { Accept: 'text/html', ...headers },
  })
}

describe.each(rows)('%s', (name, route) => {
  test.each(strangers)('with %s shows nothing of an account', async (_, credential) => {
    const response = await send(route, await credential())
    const { status, headers } = response
    expect(await response.text()).not.toContain(service.owner.id)
    if (PUBLIC[name] !== undefined) expect(status).toBe(PUBLIC[name])
    else if (route.method === 'GET') {
      const to = encodeURIComponent(addressOf(route))
      expect([status, headers.get('location')]).toEqual([303, `/auth/sign-in?to=${to}`])
    } else {
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('oauth-protected-resource'),
      ])
    }
  })

  test('changes nothing for a signed-in browser without the token of the form', async () => {
    const { status } = await send(route, await signedIn())
    if (PUBLIC[name] !== undefined) expect([PUBLIC[name], 303]).toContain(status)
    else expect(status).toBe(route.method === 'GET' ? (WITHOUT_PAYMENTS[name] ?? 200) : 403)
  })
})

test('neither the table nor the log has a cookie, the CSRF token of its forms, a setup link or a finish code', async () => {
  const link = await service.setupLinks.issue(service.owner.id)
  const redeemed = await fetch(`${service.baseUrl}/setup/${link}`, { method: 'POST', redirect: 'manual' })
  expect(redeemed.status).toBe(303)
  const cookie = redeemed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { request } = await service.authRequests.start({
    client_type: 'cli',
    scopes: ['analytics:read'],
    mode: 'detached',
  })
  const address = `${service.baseUrl}/agent-sessions/authorize/${request.id}`
  const headers = { Accept: 'text/html', Cookie: cookie }
  const page = await (await fetch(address, { headers })).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const approved = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf, decision: 'approve', code: request.approval_code.slice(-4) }),
  })
  const code = /id="finish-code">(aae_[0-9a-f]+)/.exec(await approved.text())?.[1] ?? ''
  const { Items } = await service.state.client.scan({ TableName: service.state.table })
  const kept = JSON.stringify([Items, service.logged])
  for (const secret of [cookie.split('=')[1] ?? '', csrf, link, code, service.code()]) {
    expect(secret.length).toBeGreaterThan(15)
    expect(kept.includes(secret.replace(/^aa[a-z]_[0-9a-f]{16,32}(?=[0-9a-f]{64}$)/, ''))).toBe(false)
  }
})
