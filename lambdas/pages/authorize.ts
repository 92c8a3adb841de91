import type { AuthRequest, BrowserSession, Decision } from '#core/access/types'
import { ApiError } from '#core/errors'
import { networkOf } from '#lambdas/auth/origin-of'
import { type Html, html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { pageResponse, redirect } from '#lambdas/http/page'
import {
  ageText,
  callbackTargets,
  decisionForm,
  details,
  isNameOf,
  READING,
  readingOf,
  TOO_MANY_CODES,
  WRONG_NAME,
} from './approval-parts.ts'
import { type BrowserSteps, byBrowser, messagePage, type Viewer, viewerOf } from './browser.ts'
import type { PagesServices } from './services.ts'
import { signInLinks } from './sign-in-ways.ts'

const ROUTE = 'POST /agent-sessions/authorize/{id}'

/** The approval page and its decision (docs/api/agent-sessions.md). */
export function authorizePages(services: PagesServices, browser: BrowserSteps) {
  const { authRequests, audit, guards, clock } = services

  const authorizePage = browser.open(async (request, session) => {
    const asked = await requestOf(request)
    if (asked.status !== 'pending') return decidedPage(asked, session && viewerOf(session))
    return askingPage(asked, request, session && viewerOf(session))
  })

  const decideAuthorize = browser.form(async ({ request, session, viewer, fields }) => {
    const id = request.params.id ?? ''
    const decision = fields.get('decision')
    const asked = decision === READING ? await authRequests.get(id) : null
    const reading = readingOf(asked)
    if (asked !== null && reading !== null) {
      if (asked.oauth !== null || isNameOf(asked, fields.get('client_name') ?? ''))
        return decide(await authRequests.approve(id, session.account, reading), session, viewer)
      return askingPage(await requestOf(request), request, viewer, WRONG_NAME)
    }
    if (decision !== 'approve' && decision !== 'deny') {
      throw new ApiError('MISSING_FIELDS', 'Field `decision` takes `approve` or `deny`.')
    }
    if (decision === 'approve') {
      const problem = await codeProblem(request, fields.get('code') ?? '')
      if (problem !== null && problem !== TOO_MANY_CODES) {
        return askingPage(await requestOf(request), request, viewer, problem)
      }
      if (problem === null) return decide(await authRequests.approve(id, session.account), session, viewer)
    }
    return decide(await authRequests.deny(id), session, viewer)
  })

  /** What is wrong with the code that the human has typed; null for a right one, and where none is needed. */
  async function codeProblem(request: HttpRequest, typed: string): Promise<string | null> {
    const asked = await authRequests.get(request.params.id ?? '')
    if (asked?.mode !== 'detached') return null
    if (typed.trim() === '') {
      if (await isOfSameNetwork(asked, request)) return null
      return 'Type the last four characters of the code that your agent shows.'
    }
    const { isRight, triesLeft } = await authRequests.tryCode(asked.id, typed)
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
    const network = await networkOf(request, { guards }, asked.created_at)
    const isOwnNetwork = asked.network !== null && network === asked.network
    // Where one of them is not known, nobody can say that they differ.
    const isOtherNetwork = asked.network !== null && network !== null && !isOwnNetwork
    const needsCode = asked.mode === 'detached' && !isOwnNetwork
    return pageResponse({
      ...(problem !== undefined && { status: 400 }),
      title: 'Approve access',
      viewer,
      formTargets: callbackTargets(asked.callback_url),
      // A client that has opened this page in a window of its own waits for it there.
      ...(asked.oauth !== null && { headers: { 'Cross-Origin-Opener-Policy': 'unsafe-none' } }),
      body: html`<section>
<h1>A client asks for access</h1>
${details(asked, { ago: ageText(clock.now() - asked.created_at), isOtherNetwork, needsCode })}
${viewer === null ? signInPart(asked) : decisionForm(asked, viewer, { needsCode, problem })}
</section>`,
    })
  }

  /** Whether the request surely came from the network of this browser: then a click is enough (U75). */
  async function isOfSameNetwork(asked: AuthRequest, request: HttpRequest): Promise<boolean> {
    if (asked.network === null) return false
    return (await networkOf(request, { guards }, asked.created_at)) === asked.network
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
${signInLinks(services, `/agent-sessions/authorize/${asked.id}`)}`
  }

  return { authorizePage, decideAuthorize }
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
