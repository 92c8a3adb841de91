import { type IdentityProvider, KnownAddressError, SignInError } from '#core/access/provider'
import { safeReturnPath } from '#core/access/return-path'
import { ATTEMPT_SECONDS } from '#core/access/sign-in-attempts'
import type { VerifiedIdentity } from '#core/access/types'
import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { signInCookie } from '#lambdas/http/cookies'
import { html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { pageResponse, redirect } from '#lambdas/http/page'
import { requireNavigation } from '#lambdas/http/third-party'
import { type BrowserSteps, byBrowser, messagePage, viewerOf } from './browser.ts'
import type { PagesServices } from './services.ts'
import { commandText, signInLinks, waysHere } from './sign-in-ways.ts'

/** Sign-in and sign-out of browsers (docs/api/account.md, docs/api/agent-sessions.md). */
export function signInPages(services: PagesServices, browser: BrowserSteps) {
  const {
    providers,
    ownerLinkCommand,
    signInAttempts,
    identities,
    browserSessions,
    authRequests,
    audit,
    guards,
    baseUrl,
  } = services
  const attemptCookie = signInCookie(baseUrl)

  const signInPage = browser.open((request, session) => {
    const to = safeReturnPath(request.query.to)
    if (session !== null && request.query.add === undefined && request.query.switch === undefined)
      return redirect(to)
    return pageResponse({
      title: 'Sign in',
      viewer: session && viewerOf(session),
      body: html`<section>
<h1>Sign in to Footfall</h1>
${
  (providers.length > 0 || services.passkeyVerifier !== null) &&
  signInLinks(
    services,
    to,
    (['add', 'switch'] as const).filter(name => request.query[name] !== undefined),
  )
}
${waysHere(services)}
</section>`,
    })
  })

  const startSignIn = browser.open(async (request, session) => {
    const provider = providerOf(request)
    requireNavigation(request)
    await guards.countSignIn(request.ip)
    const adds = request.query.add !== undefined && session !== null
    const { token, secrets } = await signInAttempts.begin({
      provider: provider.id,
      return_to: safeReturnPath(request.query.to),
      ...(adds && { link_account_id: session.account.id }),
    })
    // The provider may still know somebody, whom it would return without a question.
    const asksForAccount = adds || request.query.switch !== undefined
    const address = await provider.authorizationUrl(secrets, callbackAddress(provider), asksForAccount)
    return redirect(address.href, [attemptCookie.set(token, ATTEMPT_SECONDS)])
  })

  const finishSignIn = browser.open(async (request, session) => {
    const provider = providerOf(request)
    const token = attemptCookie.read(request)
    const ended = token === undefined ? null : await signInAttempts.end(token)
    if (ended === null || ended.attempt.provider !== provider.id) {
      throw new SignInError('This sign-in is over or began in another browser. Start again.')
    }
    const callback = new URL(callbackAddress(provider))
    callback.search = new URLSearchParams(request.query).toString()
    const identity = await provider.identify(callback, ended.secrets)
    const { return_to, link_account_id } = ended.attempt
    if (link_account_id !== undefined) {
      // The browser must still be the one that asked for it.
      if (session?.account.id !== link_account_id)
        throw new SignInError('You are signed out by now. Start again.')
      await identities.link(link_account_id, identity)
      await audit.record(
        byBrowser({
          account_id: link_account_id,
          session_id: session.id,
          action: 'sign_in_added',
          route: 'GET /auth/callback/{provider}',
          status: 303,
        }),
      )
      return redirect(return_to, [attemptCookie.clear()])
    }
    const account = await accountOf(identity, return_to).catch(error => {
      if (error instanceof KnownAddressError) return error
      throw error
    })
    if (account instanceof KnownAddressError) return otherWayFirst(identity.email, provider, return_to)
    if (account === null) return setupHelp(identity.email)
    const old = browser.cookie.read(request) ?? null
    const created = await browserSessions.rotate(old, account.id)
    await audit.record(
      byBrowser({
        account_id: account.id,
        session_id: provider.id,
        action: 'signed_in',
        route: 'GET /auth/callback/{provider}',
        status: 303,
      }),
    )
    const maxAge = Math.floor((created.expires_at - services.clock.now()) / 1_000)
    return redirect(return_to, [browser.cookie.set(created.token, maxAge), attemptCookie.clear()])
  })

  const logout = browser.form(async ({ request, session }) => {
    const token = browser.cookie.read(request)
    if (token !== undefined) await browserSessions.end(token)
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: 'signed_out',
        route: 'POST /auth/logout',
        status: 200,
      }),
    )
    return messagePage({
      title: 'You are signed out',
      text: 'Only this browser is signed out. Agents that you connected stay connected.',
      link: { href: '/auth/sign-in', text: 'Sign in again' },
      cookies: [browser.cookie.clear()],
    })
  })

  function callbackAddress(provider: IdentityProvider): string {
    return `${baseUrl}/auth/callback/${provider.id}`
  }

  function providerOf({ params }: HttpRequest): IdentityProvider {
    const provider = providers.find(({ id }) => id === params.provider)
    if (provider === undefined)
      throw new ApiError('NOT_FOUND', 'There is no such sign-in provider. Choose one on the page of sign-in.')
    return provider
  }

  /**
   * The person's account; null where a client asked that none is made for them (docs/api/agent-sessions.md).
   */
  async function accountOf(identity: VerifiedIdentity, returnTo: string): Promise<Account | null> {
    const requestId = /^\/agent-sessions\/authorize\/(\w+)$/.exec(returnTo)?.[1]
    const request = requestId === undefined ? null : await authRequests.get(requestId)
    return request?.requires_existing_account ? identities.find(identity) : identities.findOrCreate(identity)
  }

  /** Whoever has proved the old way to sign in goes on to this one, which is then added to the account. */
  function otherWayFirst(email: string, { id, label }: IdentityProvider, returnTo: string): HttpResponse {
    const others = providers.filter(provider => provider.id !== id)
    return pageResponse({
      status: 403,
      title: 'Sign in the old way first',
      cookies: [attemptCookie.clear()],
      body: html`<section>
<h1>Sign in the old way first</h1>
<p>The address ${email} has an account that signs in another way. Sign in that way once. Then you can add ${label} to the account, and it works from then on.</p>
${
  others.length === 0 && services.passkeyVerifier === null
    ? html`<p class="quiet">If that way is gone, whoever runs this service can get a link: ${commandText(ownerLinkCommand)}.</p>`
    : signInLinks(
        { ...services, providers: others },
        `/auth/start/${id}?add=1&to=${encodeURIComponent(returnTo)}`,
        ['switch'],
      )
}
</section>`,
    })
  }

  function setupHelp(email: string): HttpResponse {
    return messagePage({
      status: 403,
      title: 'There is no account yet',
      text: `No account belongs to ${email}, and this client must not create one. Sign in here first to create your account, then open the link of the client again.`,
      link: { href: '/auth/sign-in?to=/settings', text: 'Create an account' },
      cookies: [attemptCookie.clear()],
    })
  }

  return { signInPage, startSignIn, finishSignIn, logout }
}
