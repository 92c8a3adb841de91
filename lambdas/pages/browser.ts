import { SignInError } from '#core/access/provider'
import type { BrowserSession } from '#core/access/types'
import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import { ApiError } from '#core/errors'
import { isSame } from '#core/secrets/tokens'
import { challenge } from '#lambdas/chain/authenticate'
import { sessionCookie } from '#lambdas/http/cookies'
import { html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { payloadTooLarge } from '#lambdas/http/json-body'
import { CSRF_FIELD, pageResponse, redirect } from '#lambdas/http/page'
import { errorPage, prefersHtml } from './error-page.ts'
import type { PagesServices } from './services.ts'

/** A request of a signed-in browser. */
export type SignedIn = { request: HttpRequest; session: BrowserSession; viewer: Viewer }
/** As pages show them. */
export type Viewer = { email: string; csrfToken: string }

type Endpoint = (request: HttpRequest) => Promise<HttpResponse>

const MAX_FORM_BYTES = 65_536

/** What every page does before its own work: the session of the cookie, and the CSRF token of a form. */
export function createBrowserSteps({
  browserSessions,
  baseUrl,
  log,
}: Pick<PagesServices, 'browserSessions' | 'baseUrl' | 'log'>) {
  const cookie = sessionCookie(baseUrl)
  const ownHost = loopbackHost(baseUrl)

  async function sessionOf(request: HttpRequest): Promise<BrowserSession | null> {
    const token = cookie.read(request)
    return token === undefined ? null : browserSessions.byToken(token)
  }

  /** A page that everybody may see. */
  function open(
    endpoint: (request: HttpRequest, session: BrowserSession | null) => Promise<HttpResponse> | HttpResponse,
  ): Endpoint {
    return request => guarded(request, async () => endpoint(request, await sessionOf(request)))
  }

  /** A page for signed-in browsers; others go to the sign-in page first. */
  function signedIn(endpoint: (call: SignedIn) => Promise<HttpResponse>): Endpoint {
    return request =>
      guarded(request, async () => {
        const session = await sessionOf(request)
        if (session !== null) return endpoint({ request, session, viewer: viewerOf(session) })
        if (!prefersHtml(request)) throw signInRequired(baseUrl)
        return redirect(`/auth/sign-in?to=${encodeURIComponent(pathWithQuery(request))}`)
      })
  }

  /** A form of a signed-in browser. Without the form's CSRF token nothing happens. */
  function form(endpoint: (call: SignedIn & { fields: URLSearchParams }) => Promise<HttpResponse>): Endpoint {
    return request =>
      guarded(request, async () => {
        const session = await sessionOf(request)
        if (session === null) throw signInRequired(baseUrl)
        const fields = formFields(request)
        if (!isSame(fields.get(CSRF_FIELD) ?? '', session.csrf_token)) {
          throw new ApiError(
            'FORBIDDEN',
            'This form is too old or does not come from this page. Open the page again.',
          )
        }
        return endpoint({ request, session, viewer: viewerOf(session), fields })
      })
  }

  /**
   * On one machine: cookies of 127.0.0.1 do not reach localhost, where providers send the browser back to.
   */
  async function guarded(request: HttpRequest, run: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (ownHost !== null && request.method === 'GET' && isOtherLoopbackName(request.headers.host, ownHost)) {
      return redirect(`${baseUrl}${pathWithQuery(request)}`)
    }
    try {
      return await run()
    } catch (thrown) {
      // A sign-in that did not succeed is no failure of ours, also for a program.
      const error = thrown instanceof SignInError ? new ApiError('FORBIDDEN', thrown.message) : thrown
      if (!prefersHtml(request)) throw error
      return errorPage(error, `${request.method} page`, log)
    }
  }

  return { cookie, open, signedIn, form, sessionOf }
}

export type BrowserSteps = ReturnType<typeof createBrowserSteps>

export function viewerOf({ account, csrf_token }: BrowserSession): Viewer {
  return { email: account.email, csrfToken: csrf_token }
}

/**
 * The account as it is now: that of a browser session may be 5 s old, and a person comes here right after a
 * payment.
 */
export async function readAccountNow(
  accounts: Pick<AccountStore, 'byId'>,
  { account }: Pick<BrowserSession, 'account'>,
): Promise<Account> {
  return (await accounts.byId(account.id)) ?? account
}

type BrowserAction = {
  account_id: string
  /** The browser session, or how it came to be. */
  session_id: string
  action: string
  /** Method and path of the row. */
  route: string
  status: number
}

/** What a person with a browser did, for the audit log. */
export function byBrowser({ session_id, ...event }: BrowserAction) {
  return { ...event, actor: { type: 'cookie' as const, id: session_id, label: null }, project: null }
}

/** The fields of a form post. */
export function formFields({ body }: HttpRequest): URLSearchParams {
  if (body.length > MAX_FORM_BYTES) throw payloadTooLarge(MAX_FORM_BYTES)
  return new URLSearchParams(new TextDecoder().decode(body))
}

/** A page that only says something, such as what has just happened. */
export function messagePage(options: {
  title: string
  text: string
  status?: number
  viewer?: Viewer | null
  link?: { href: string; text: string }
  cookies?: readonly string[]
}): HttpResponse {
  const { title, text, link, ...rest } = options
  return pageResponse({
    title,
    ...rest,
    body: html`<section>
<h1>${title}</h1>
<p>${text}</p>
${link && html`<p><a href="${link.href}">${link.text}</a></p>`}
</section>`,
  })
}

function signInRequired(baseUrl: string): ApiError {
  return new ApiError('AUTH_REQUIRED', 'Nobody is signed in. Sign in at /auth/sign-in, then try again.', {
    ...challenge(baseUrl),
  })
}

function pathWithQuery({ path, query }: HttpRequest): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

function loopbackHost(baseUrl: string): string | null {
  const { hostname, host } = new URL(baseUrl)
  return LOOPBACK.test(hostname) ? host : null
}

function isOtherLoopbackName(host: string | undefined, ownHost: string): boolean {
  return host !== undefined && host !== ownHost && LOOPBACK.test(host.replace(/:\d+$/, ''))
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
