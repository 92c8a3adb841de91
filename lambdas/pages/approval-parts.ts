import { CODE_END } from '#core/access/auth-requests'
import type { AuthRequest, OAuthRequest } from '#core/access/types'
import { plainText } from '#core/text/clean-text'
import { type Html, html } from '#lambdas/http/html'
import { csrfField } from '#lambdas/http/page'
import { isLoopbackCallback } from '#schemas/loopback'
import type { Scope } from '#schemas/scopes'
import type { Viewer } from './browser.ts'

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
  'exports:read': 'Take all events of your projects away as files, and learn which people were erased',
}

/** Names of clients are their own words. */
const NAME_CHARS = 40
/** The last try of the code was wrong. */
export const TOO_MANY_CODES = 'denied'

export function details(
  asked: AuthRequest,
  { ago, isOtherNetwork, needsCode }: { ago: string; isOtherNetwork: boolean; needsCode: boolean },
): Html {
  return html`${codePart(asked, needsCode)}
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
 * The code to compare. Of a detached request from another network the page shows the first half alone: the
 * human types the other half from the client, so nobody approves a link of somebody else's client.
 */
function codePart({ mode, approval_code, oauth }: AuthRequest, needsCode: boolean): Html | null {
  // Such a client shows no code: the browser comes from the client itself.
  if (oauth !== null) return null
  return !needsCode
    ? html`<p>Compare this code with the one that your client shows${mode === 'detached' && ', if it shows one'}:</p>
<p class="code">${approval_code}</p>`
    : html`<p>The code that your client shows must begin like this:</p>
<p class="code">${approval_code.slice(0, -CODE_END)} ····</p>`
}

export function decisionForm(
  asked: AuthRequest,
  viewer: Viewer,
  { needsCode, problem }: { needsCode: boolean; problem: string | undefined },
): Html {
  const path = `/agent-sessions/authorize/${asked.id}`
  return html`<h2>Account</h2>
<p>Access to the account <strong>${viewer.email}</strong>. <a href="/auth/sign-in?switch=1&amp;to=${encodeURIComponent(path)}">Use another account</a></p>
<p class="note">Approve only if you started this yourself.</p>
${problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`}
<form method="post" id="approve">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="approve">${needsCode && codeField()}</form>
<div class="actions">
<button form="approve">Approve</button>
${asked.oauth !== null && readingOf(asked) && html`<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="${READING}"><button class="plain">Approve reading only</button></form>`}
<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="deny"><button class="danger">Deny</button></form>
</div>
${needsCode && readingOf(asked) && withoutCode(asked, viewer)}`
}

/**
 * The way for an agent that shows no code (U75): it may only read, and the human types its name, so that
 * nobody clicks it away.
 */
function withoutCode(asked: AuthRequest, viewer: Viewer): Html {
  return html`<h2>Your agent shows no code?</h2>
<p class="note bad">Without the code, nothing shows that this request is of your agent: whoever sent you this link may have made it. So it gets reading only.</p>
<form method="post">${csrfField(viewer.csrfToken)}<input type="hidden" name="decision" value="${READING}">
<label for="client_name">The name of the client, as this page shows it: ${shownName(asked)}</label>
<input id="client_name" name="client_name" autocomplete="off" spellcheck="false" maxlength="${NAME_CHARS}" required>
<button class="plain">Approve reading only</button></form>`
}

/** What the page calls the client: its name, or its type if it gives none. */
function shownName({ client_name, client_type }: AuthRequest): string {
  return plainText(client_name ?? client_type, NAME_CHARS)
}

export const WRONG_NAME = 'This is not the name of the client. Type it as this page shows it.'

export function isNameOf(asked: AuthRequest, typed: string): boolean {
  return plainText(typed, NAME_CHARS).trim().toLowerCase() === shownName(asked).trim().toLowerCase()
}

/** The decision for a part of what a client asks for. */
export const READING = 'approve_reading'

/**
 * What a client may get that asks for more and may only read, null where there is nothing to choose. MCP
 * clients ask for all scopes that they find, and take what they get (RFC 6749, 3.3). A detached client may
 * get it without a code.
 */
export function readingOf(asked: AuthRequest | null): Scope[] | null {
  if (asked === null || (asked.oauth === null && asked.mode !== 'detached')) return null
  const reads = asked.scopes.filter(scope => scope.endsWith(':read'))
  const isChoice = asked.oauth === null || reads.length < asked.scopes.length
  return reads.length > 0 && isChoice ? reads : null
}

function codeField(): Html {
  return html`<label for="code">The last four characters of the code that your client shows</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="16" required>`
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' })

function countryName(code: string): string {
  return COUNTRIES.of(code) ?? code
}

export function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute ago'
  if (minutes < 60) return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`
  const hours = Math.floor(minutes / 60)
  return hours === 1 ? '1 hour ago' : `${hours} hours ago`
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
export function callbackTargets(callbackUrl: string | null): string[] {
  if (callbackUrl === null) return []
  const { origin, hostname, protocol } = new URL(callbackUrl)
  return [protocol === 'https:' || hostname.startsWith('[') ? protocol : origin]
}
