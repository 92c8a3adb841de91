import { CODE_END } from '#core/access/auth-requests'
import type { AuthRequest, BrowserSession, Decision, OAuthRequest } from '#core/access/types'
import { ApiError } from '#core/errors'
import { plainText } from '#core/text/clean-text'
import { type Html, html } from '#lambdas/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http'
import { csrfField, pageResponse, redirect } from '#lambdas/page'
import { isLoopbackCallback } from '#schemas/loopback'
import type { Scope } from '#schemas/scopes'
import { type BrowserSteps, byBrowser, messagePage, type Viewer, viewerOf } from './browser.ts'
import type { PagesServices } from './services.ts'
import { providerLinks } from './sign-in.ts'

/** What a scope allows, for people. */
const SCOPE_TEXTS: Record<Scope, string> = {
  'account:read': 'See your e-mail address, plan and usage',
  'projects:read': 'See your projects and their settings',
  'projects:write':
    'Create, change and delete projects, erase people with everything that is known of them, and disconnect other agents',
  'analytics:read': 'Read the analytics of your projects',
  'experiments:read': 'See experiments and their results',
  'experiments:write': 'Create, change and delete experiments',
  'feedback:write': 'Send feedback about this service',
  'live:read': 'Watch events live',
  'replays:read': 'Watch session replays',
  'replays:write': 'Change replay settings and delete replays',
}

const ROUTE = 'POST /agent-sessions/authorize/{id}'

/** The approval page and its decision (docs/api/agent-sessions.md). */
export function authorizePages(services: PagesServices, browser: BrowserSteps) {
  const { authRequests, providers, audit, guards, clock } = services

  const authorizePage = browser.open(async (request, session) => {
    const asked = await requestOf(request)
    if (asked.status !== 'pending') return decidedPage(asked, session && viewerOf(session))
    return askingPage(asked, request, session && viewerOf(session))
  })

  const decideAuthorize = browser.form(async ({ request, session, viewer, fields }) => {
    const id = request.params.id ?? ''
    const decision = fields.get('decision')
    const reading = decision === READING ? readingOf(await authRequests.get(id)) : null
    if (reading !== null)
      return decide(await authRequests.approve(id, session.account, reading), session, viewer)
    if (decision !== 'approve' && decision !== 'deny') {
      throw new ApiError('MISSING_FIELDS', 'Field `decision` takes `approve` or `deny`.')
    }
    if (decision === 'approve') {
      const problem = await codeProblem(id, fields.get('code') ?? '')
      if (problem !== null && problem !== TOO_MANY_CODES) {
        return askingPage(await requestOf(request), request, viewer, problem)
      }
      if (problem === null) return decide(await authRequests.approve(id, session.account), session, viewer)
    }
    return decide(await authRequests.deny(id), session, viewer)
  })

  /** What is wrong with the code that the human has typed; null for a right one, and where none is needed. */
  async function codeProblem(id: string, typed: string): Promise<string | null> {
    const asked = await authRequests.get(id)
    if (asked?.mode !== 'detached') return null
    if (typed.trim() === '') return 'Type the last four characters of the code that your agent shows.'
    const { isRight, triesLeft } = await authRequests.tryCode(id, typed)
    if (isRight) return null
    if (triesLeft === 0) return TOO_MANY_CODES
    return `These are not the last four characters of the code. You can try ${triesLeft === 1 ? 'once more' : `${triesLeft} more times`}.`
  }

  async function decide(result: Decision, session: BrowserSession, viewer: Viewer): Promise<HttpResponse> {
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: result.request.status === 'approved' ? 'agent_approved' : 'agent_denied',
        route: ROUTE,
        status: result.redirect_url === null ? 200 : 302,
      }),
    )
    return outcome(result, viewer)
  }

  /** The page on which the human decides. */
  async function askingPage(
    asked: AuthRequest,
    request: HttpRequest,
    viewer: Viewer | null,
    problem?: string,
  ): Promise<HttpResponse> {
    const here = request.ip === null ? null : await guards.networkHash(request.ip, asked.created_at)
    return pageResponse({
      ...(problem !== undefined && { status: 400 }),
      title: 'Approve access',
      viewer,
      formTargets: callbackTargets(asked.callback_url),
      // A client that has opened this page in a window of its own waits for it there.
      ...(asked.oauth !== null && { headers: { 'Cross-Origin-Opener-Policy': 'unsafe-none' } }),
      body: html`<section>
<h1>A client asks for access</h1>
${details(asked, { ago: ageText(clock.now() - asked.created_at), isOtherNetwork: asked.network !== null && here !== asked.network })}
${viewer === null ? signInPart(asked) : decisionForm(asked, viewer, problem)}
</section>`,
    })
  }

  async function requestOf({ params }: HttpRequest): Promise<AuthRequest> {
    const asked = await authRequests.get(params.id ?? '')
    if (asked === null) throw new ApiError('NOT_FOUND', 'There is no such request. Check the link.')
    if (asked.status === 'expired') {
      throw new ApiError('AUTH_REQUEST_EXPIRED', 'This request is too old. Start again in your client.')
    }
    return asked
  }

  function signInPart(asked: AuthRequest): Html {
    return html`<h2>Sign in to decide</h2>
${providerLinks(providers, `/agent-sessions/authorize/${asked.id}`)}`
  }

  return { authorizePage, decideAuthorize }
}

/** Names of clients are their own words. */
const NAME_CHARS = 40
/** The last try of the code was wrong. */
const TOO_MANY_CODES = 'denied'

function details(
  asked: AuthRequest,
  { ago, isOtherNetwork }: { ago: string; isOtherNetwork: boolean },
): Html {
  return html`${codePart(asked)}
<dl>
<dt>Client</dt><dd>${asked.client_name === null ? 'No name given' : html`“${plainText(asked.client_name, NAME_CHARS)}” <span class="quiet">(it says so itself; the name is unverified)</span>`}</dd>
<dt>Type</dt><dd>${plainText(asked.client_type, NAME_CHARS)}</dd>
${asked.label !== null && html`<dt>Label</dt><dd>${plainText(asked.label, NAME_CHARS)}</dd>`}
<dt>Asked</dt><dd>${ago}${asked.country !== null && `, from ${countryName(asked.country)}`}</dd>
${asked.oauth !== null && documentHost(asked.oauth) !== null && html`<dt>Describes itself at</dt><dd>${documentHost(asked.oauth)}</dd>`}
${asked.callback_url !== null && html`<dt>Returns to</dt><dd><strong>${new URL(asked.callback_url).host}</strong>${isLoopbackCallback(asked.callback_url) ? ' on this computer' : ', which gets the access'}</dd>`}
</dl>
${isOtherNetwork && html`<p class="note bad">It was asked from another network than yours. That is normal for an agent in the cloud. If you started it on this computer, deny.</p>`}
<h2>It will be able to</h2>
<ul>${asked.scopes.map(scope => html`<li>${SCOPE_TEXTS[scope] ?? scope}</li>`)}</ul>
<p class="quiet">It cannot see or create API keys, and it cannot change payments. You can disconnect it at any time.</p>`
}

/**
 * The code to compare. Of a detached request the page shows the first half alone: the human types the other
 * half from the client, so nobody approves a link of somebody else's client.
 */
function codePart({ mode, approval_code, oauth }: AuthRequest): Html | null {
  // Such a client shows no code: the browser comes from the client itself.
  if (oauth !== null) return null
  return mode === 'interactive'
    ? html`<p>Compare this code with the one that your client shows:</p>
<p class="code">${approval_code}</p>`
    : html`<p>The code that your client shows must begin like this:</p>
<p class="code">${approval_code.slice(0, -CODE_END)} ····</p>`
}

function decisionForm(asked: AuthRequest, viewer: Viewer, problem: string | undefined): Html {
  const path = `/agent-sessions/authorize/${asked.id}`
  return html`<h2>Account</h2>
<p>Access to the account <strong>${viewer.email}</strong>. <a href="/auth/sign-in?switch=1&amp;to=${encodeURIComponent(path)}">Use another account</a></p>
<p class="note">Approve only if you started this yourself.</p>
${problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`}
<form method="post" id="approve">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="approve">${asked.mode === 'detached' && codeField()}</form>
<div class="actions">
<button form="approve">Approve</button>
${readingOf(asked) && html`<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="${READING}"><button class="plain">Approve reading only</button></form>`}
<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="deny"><button class="danger">Deny</button></form>
</div>`
}

/** The decision for a part of what a client asks for. */
const READING = 'approve_reading'

/**
 * What an MCP client would get that may only read, where it asks for more: such clients ask for all scopes
 * that they find, and take what they get (RFC 6749, 3.3). Null for other requests.
 */
function readingOf(asked: AuthRequest | null): Scope[] | null {
  if (asked === null || asked.oauth === null) return null
  const reads = asked.scopes.filter(scope => scope.endsWith(':read'))
  return reads.length > 0 && reads.length < asked.scopes.length ? reads : null
}

function codeField(): Html {
  return html`<label for="code">The last four characters of the code that your client shows</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="16" required>`
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' })

function countryName(code: string): string {
  return COUNTRIES.of(code) ?? code
}

function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute ago'
  if (minutes < 60) return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`
  const hours = Math.floor(minutes / 60)
  return hours === 1 ? '1 hour ago' : `${hours} hours ago`
}

/** What the human sees after the decision. */
function outcome({ request, redirect_url, finish_code }: Decision, viewer: Viewer): HttpResponse {
  if (redirect_url !== null) return { ...redirect(redirect_url), status: 302 }
  if (finish_code !== null) return finishPage(finish_code, viewer)
  return decidedPage(request, viewer)
}

/** The code of a detached request, which is shown this once. */
function finishPage(code: string, viewer: Viewer): HttpResponse {
  return pageResponse({
    title: 'Approved',
    viewer,
    script: true,
    body: html`<section>
<h1>Approved</h1>
<p>Give this finish code to your client. A client that waits by itself has it already.</p>
<p class="code secret" id="finish-code">${code}</p>
<button class="plain" data-copy="finish-code" hidden>Copy the code</button>
<p class="quiet" role="status" data-copied hidden>The code is copied.</p>
<h2>How to use it</h2>
<ol><li>Go back to your agent or terminal.</li><li>Paste the code where it asks for the finish code.</li></ol>
<p class="quiet">The code works once, and this page does not show it again. Do not give it to anybody else.</p>
</section>`,
  })
}

/** A request that is decided: there is nothing left to do here. */
function decidedPage({ status }: AuthRequest, viewer: Viewer | null): HttpResponse {
  const connections =
    viewer === null ? undefined : { href: '/settings/sessions', text: 'See your connections' }
  const page = { viewer, ...(connections !== undefined && { link: connections }) }
  return status === 'revoked'
    ? messagePage({ title: 'Denied', text: 'The client gets no access. You can close this page.', ...page })
    : messagePage({
        title: 'Approved',
        text: 'Go back to your client: it can finish by itself. You can close this page.',
        ...page,
      })
}

/** The host of a client's metadata document, which the service has read; null for other clients. */
function documentHost({ client_id }: OAuthRequest): string | null {
  return URL.parse(client_id)?.host ?? null
}

/**
 * Where the redirect after the decision leads, for `form-action`: the browser applies the policy to redirects
 * too. An address such as [::1] cannot stand in a policy, so that one allows the whole scheme. So does an
 * https callback, because its site may send the browser on to another of its hosts.
 */
function callbackTargets(callbackUrl: string | null): string[] {
  if (callbackUrl === null) return []
  const { origin, hostname, protocol } = new URL(callbackUrl)
  return [protocol === 'https:' || hostname.startsWith('[') ? protocol : origin]
}
