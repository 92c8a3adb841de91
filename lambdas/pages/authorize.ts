import { ApiError } from '#core/errors'
import type { AuthRequest, Decision } from '#core/sessions/types'
import type { Scope } from '#schemas/scopes'
import { type Html, html } from '../html.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { csrfField, pageResponse, redirect } from '../page.ts'
import { type BrowserSteps, byBrowser, messagePage, type Viewer, viewerOf } from './browser.ts'
import type { PagesServices } from './services.ts'
import { providerLinks } from './sign-in.ts'

/** What a scope allows, for people. */
const SCOPE_TEXTS: Record<Scope, string> = {
  'account:read': 'See your e-mail address, plan and usage',
  'projects:read': 'See your projects and their settings',
  'projects:write': 'Create, change and delete projects',
  'analytics:read': 'Read the analytics of your projects',
  'experiments:read': 'See experiments and their results',
  'experiments:write': 'Create, change and delete experiments',
  'feedback:write': 'Send feedback about this service',
  'live:read': 'Watch events live',
  'replays:read': 'Watch session replays',
  'replays:write': 'Change replay settings and delete replays',
}

const ROUTE = 'POST /agent-sessions/authorize/{id}'

/** The approval page and its decision (contract 3.2, 3.4). */
export function authorizePages(services: PagesServices, browser: BrowserSteps) {
  const { authRequests, providers, audit } = services

  const authorizePage = browser.open(async (request, session) => {
    const asked = await requestOf(request)
    if (asked.status !== 'pending') return decidedPage(asked, session && viewerOf(session))
    const viewer = session && viewerOf(session)
    return pageResponse({
      title: 'Approve access',
      viewer,
      formTargets: callbackTargets(asked.callback_url),
      body: html`<section>
<h1>${asked.client_name ?? asked.client_type} asks for access</h1>
${details(asked)}
${viewer === null ? signInPart(asked) : decisionForm(asked, viewer)}
</section>`,
    })
  })

  const decideAuthorize = browser.form(async ({ request, session, viewer, fields }) => {
    const id = request.params.id ?? ''
    const decision = fields.get('decision')
    if (decision !== 'approve' && decision !== 'deny') {
      throw new ApiError('MISSING_FIELDS', 'Field `decision` takes `approve` or `deny`.')
    }
    const result =
      decision === 'approve' ? await authRequests.approve(id, session.account) : await authRequests.deny(id)
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: decision === 'approve' ? 'agent_approved' : 'agent_denied',
        route: ROUTE,
        status: result.redirect_url === null ? 200 : 302,
      }),
    )
    return outcome(result, viewer)
  })

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

function details(asked: AuthRequest): Html {
  return html`<p>Compare this code with the one that your client shows:</p>
<p class="code">${asked.approval_code}</p>
<dl>
<dt>Client</dt><dd>${asked.client_name ?? 'No name given'}</dd>
<dt>Type</dt><dd>${asked.client_type}</dd>
${asked.label !== null && html`<dt>Label</dt><dd>${asked.label}</dd>`}
${asked.callback_url !== null && html`<dt>Returns to</dt><dd>${new URL(asked.callback_url).host} on this computer</dd>`}
</dl>
<h2>It will be able to</h2>
<ul>${asked.scopes.map(scope => html`<li>${SCOPE_TEXTS[scope] ?? scope}</li>`)}</ul>
<p class="quiet">It cannot see or create API keys, and it cannot change payments. You can disconnect it at any time.</p>`
}

function decisionForm(asked: AuthRequest, viewer: Viewer): Html {
  const path = `/agent-sessions/authorize/${asked.id}`
  return html`<h2>Account</h2>
<p>Access to the account <strong>${viewer.email}</strong>. <a href="/auth/sign-in?switch=1&amp;to=${encodeURIComponent(path)}">Use another account</a></p>
<p class="note">Approve only if you started this yourself and the codes are equal.</p>
<div class="actions">
<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="approve"><button>Approve</button></form>
<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="deny"><button class="danger">Deny</button></form>
</div>`
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

/**
 * Where the redirect after the decision leads, for `form-action`: the browser applies the policy to redirects too. An
 * address such as [::1] cannot stand in a policy, so that one allows the whole scheme.
 */
function callbackTargets(callbackUrl: string | null): string[] {
  if (callbackUrl === null) return []
  const { origin, hostname } = new URL(callbackUrl)
  return [hostname.startsWith('[') ? 'http:' : origin]
}
