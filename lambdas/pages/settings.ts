import type { AgentSessionSummary } from '#core/access/types'
import { ApiError } from '#core/errors'
import { plainText } from '#core/text/clean-text'
import { utcDate } from '#core/time'
import { type Html, html } from '#lambdas/http/html'
import { csrfField, pageResponse, redirect } from '#lambdas/http/page'
import { isPaying } from './billing.ts'
import { type BrowserSteps, byBrowser, messagePage, readAccountNow } from './browser.ts'
import type { PagesServices } from './services.ts'

/** Pages of the account: overview, connections, API key, deletion. */
export function settingsPages(services: PagesServices, browser: BrowserSteps) {
  const { accounts, agentSessions, browserSessions, providers, billing, audit, clock } = services

  const settingsPage = browser.signedIn(async ({ session, viewer }) => {
    const account = await readAccountNow(accounts, session)
    const plan = account.tier === 'free' ? 'Free' : account.complimentary ? 'Pro, without charge' : 'Pro'
    return pageResponse({
      title: 'Account',
      viewer,
      body: html`<section>
<h1>Account</h1>
<dl>
<dt>E-mail</dt><dd>${account.email}</dd>
<dt>Plan</dt><dd>${plan}</dd>
<dt>Account id</dt><dd><code>${account.id}</code></dd>
<dt>Since</dt><dd>${account.created_at.slice(0, 10)}</dd>
</dl>
${
  billing !== null &&
  account.tier === 'free' &&
  html`<p><a class="button" href="/account/billing/agent-upgrade?account=${account.id}">Upgrade to Pro</a></p>`
}
${billing !== null && isPaying(account) && html`<p><a href="/account/billing/spend-cap">Spend cap</a></p>`}
</section>
<section>
<h2>Access</h2>
<ul class="list">
<li><a href="/settings/sessions">Connections</a><br><span class="quiet">Agents and command-line clients that you have approved</span></li>
<li><a href="/settings/api-key">API key</a><br><span class="quiet">For scripts that call the service directly</span></li>
${
  providers.length > 0 &&
  html`<li><a href="/auth/sign-in?add=1&amp;to=/settings">Add a way to sign in</a><br><span class="quiet">${providers.map(({ label }) => label).join(', ')}</span></li>`
}
${
  services.passkeyVerifier !== null &&
  html`<li><a href="/settings/passkeys">Passkeys</a><br><span class="quiet">Sign in by the lock of a device</span></li>`
}
<li><a href="/settings/delete">Delete the account</a></li>
</ul>
<form method="post" action="/settings/sign-out-others">${csrfField(viewer.csrfToken)}<button class="plain">Sign out all other browsers</button></form>
</section>`,
    })
  })

  const signOutOthers = browser.form(async ({ request, session }) => {
    const { account, id } = session
    const created = await browserSessions.endOthers(browser.cookie.read(request) ?? '', account.id)
    await audit.record(
      byBrowser({
        account_id: account.id,
        session_id: id,
        action: 'browsers_signed_out',
        route: 'POST /settings/sign-out-others',
        status: 200,
      }),
    )
    const maxAge = Math.floor((created.expires_at - clock.now()) / 1_000)
    return messagePage({
      title: 'Other browsers are signed out',
      text: 'This one stays signed in. Connections of agents, the API key and passkeys stay, too.',
      link: { href: '/settings', text: 'Account' },
      cookies: [browser.cookie.set(created.token, maxAge)],
    })
  })

  const sessionsPage = browser.signedIn(async ({ session, viewer }) => {
    const sessions = await agentSessions.list(session.account.id)
    const [active, ended] = [
      sessions.filter(({ status }) => status === 'active'),
      sessions.filter(({ status }) => status === 'revoked'),
    ]
    return pageResponse({
      title: 'Connections',
      viewer,
      body: html`<section>
<h1>Connections</h1>
${
  active.length === 0
    ? html`<p>No agent is connected.</p>`
    : html`<ul class="list">${active.map(summary => html`<li>${sessionPart(summary)}${disconnectForm(summary, viewer.csrfToken)}</li>`)}</ul>`
}
</section>
${
  ended.length > 0 &&
  html`<section>
<h2>Disconnected</h2>
<ul class="list">${ended.map(summary => html`<li>${sessionPart(summary)}</li>`)}</ul>
</section>`
}`,
    })
  })

  const disconnectSession = browser.form(async ({ request, session }) => {
    const revoked = await agentSessions.revoke(session.account.id, request.params.id ?? '')
    if (!revoked)
      throw new ApiError(
        'NOT_FOUND',
        'Your account has no such connection. Open the page again to see those that it has.',
      )
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: 'session_disconnected',
        route: 'POST /settings/sessions/{id}/disconnect',
        status: 303,
      }),
    )
    return redirect('/settings/sessions')
  })

  const apiKeyPage = browser.signedIn(async ({ session, viewer }) => {
    const hasKey = await accounts.hasApiKey(session.account.id)
    return pageResponse({
      title: 'API key',
      viewer,
      body: html`<section>
<h1>API key</h1>
<p>${hasKey ? 'The account has an API key. Nobody can read it again.' : 'The account has no API key.'} Scripts send it in the header <code>X-API-Key</code>. It may do everything that you may, so keep it secret; agents should use a connection instead.</p>
${hasKey && html`<p class="note bad">A new key replaces the old one, which stops working at once.</p>`}
<form method="post">${csrfField(viewer.csrfToken)}<button class="${hasKey ? 'danger' : ''}">${hasKey ? 'Replace the API key' : 'Create an API key'}</button></form>
</section>`,
    })
  })

  const replaceApiKey = browser.form(async ({ session, viewer }) => {
    const key = await accounts.issueApiKey(session.account.id)
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: 'api_key_issued',
        route: 'POST /settings/api-key',
        status: 200,
      }),
    )
    return pageResponse({
      title: 'Your new API key',
      viewer,
      script: true,
      body: html`<section>
<h1>Your new API key</h1>
<p>Copy it now: this page does not show it again.</p>
<p class="code secret" id="api-key">${key}</p>
<button class="plain" data-copy="api-key" hidden>Copy the key</button>
<p class="quiet" role="status" data-copied hidden>The key is copied.</p>
</section>`,
    })
  })

  const deletePage = browser.signedIn(async ({ viewer }) =>
    pageResponse({
      title: 'Delete the account',
      viewer,
      body: html`<section>
<h1>Delete the account</h1>
<p>Your sessions, your API key and your projects stop working at once. The data of the projects is deleted after 30 days.</p>
<p class="note bad">Nobody can undo this.</p>
<form method="post">${csrfField(viewer.csrfToken)}
<label for="email">Type your e-mail address to confirm</label>
<input id="email" name="email" autocomplete="off" required>
<button class="danger">Delete the account</button></form>
</section>`,
    }),
  )

  const confirmDelete = browser.form(async ({ session, fields }) => {
    const { account } = session
    if (fields.get('email')?.trim().toLowerCase() !== account.email.toLowerCase()) {
      throw new ApiError(
        'MISSING_FIELDS',
        'This is not the e-mail address of the account, so nothing was deleted. Enter the address that the page shows.',
      )
    }
    await services.deleteAccount(account)
    return messagePage({
      title: 'The account is deleted',
      text: 'Its credentials and projects no longer work.',
      cookies: [browser.cookie.clear()],
    })
  })

  return {
    settingsPage,
    signOutOthers,
    sessionsPage,
    disconnectSession,
    apiKeyPage,
    replaceApiKey,
    deletePage,
    confirmDelete,
  }
}

function sessionPart(summary: AgentSessionSummary): Html {
  const { client_name, client_type, label, created_at, last_used_at, scopes } = summary
  const [name, type] = [clientName(summary), plainText(client_type, NAME_CHARS)]
  return html`<strong>${name}</strong>${client_name !== null && ` (${type})`}${label !== null && html`<br>${plainText(label, NAME_CHARS)}`}
<p class="quiet">Approved <time>${utcDate(created_at)}</time>, last used <time>${utcDate(last_used_at)}</time><br>${scopes.join(', ')}</p>`
}

/** Names of clients are their own words. */
const NAME_CHARS = 40

function clientName({ client_name, client_type }: AgentSessionSummary): string {
  return plainText(client_name ?? client_type, NAME_CHARS)
}

function disconnectForm(summary: AgentSessionSummary, csrfToken: string): Html {
  return html`<form method="post" action="/settings/sessions/${summary.id}/disconnect">${csrfField(csrfToken)}<button class="danger" aria-label="Disconnect ${clientName(summary)}">Disconnect</button></form>`
}
