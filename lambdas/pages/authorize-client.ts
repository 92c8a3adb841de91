import { readAuthorization, redirectOf } from '#core/access/authorization-request'
import { oauthRedirect } from '#core/access/callback-url'
import { ApiError } from '#core/errors'
import { html } from '#lambdas/http/html'
import type { HttpResponse } from '#lambdas/http/http'
import { pageResponse, redirect } from '#lambdas/http/page'
import { requireNavigation } from '#lambdas/http/third-party'
import { isOAuthCode } from '#schemas/errors'
import { isLoopbackCallback } from '#schemas/loopback'
import type { BrowserSteps } from './browser.ts'
import type { PagesServices } from './services.ts'

/** Where an MCP client sends the human to sign in (docs/api/mcp-sign-in.md): leads to the approval page. */
export function authorizeClientPages(services: PagesServices, browser: BrowserSteps) {
  const { authRequests, oauthClients, guards, baseUrl } = services

  const authorizeClient = browser.open(async request => {
    const { ip, query } = request
    requireNavigation(request)
    const client = await oauthClients(query.client_id, () => guards.countDocument(ip))
    const callback = redirectOf(client, query)
    try {
      const authorization = readAuthorization(client, query, baseUrl)
      await guards.countStart(ip)
      const started = await authRequests.start(authorization)
      return redirect(`/agent-sessions/authorize/${started.request.id}`)
    } catch (error) {
      if (!(error instanceof ApiError) || !isOAuthCode(error.code)) throw error
      return refusal(error, callback, { state: query.state, issuer: baseUrl })
    }
  })

  return { authorizeClient }
}

/**
 * The answer to a request that cannot be decided. A program on the human's own machine waits for it, so it
 * gets it by a redirect. Anybody may register a client of another machine, so there the human follows a link:
 * an address of this service must not lead to a site of a stranger by itself (RFC 9700, 4.11).
 */
function refusal(
  error: ApiError,
  callback: string,
  exchange: { state: string | undefined; issuer: string },
): HttpResponse {
  const target = oauthRedirect(callback, exchange, { error: error.code, error_description: error.message })
  if (isLoopbackCallback(callback)) return { ...redirect(target), status: 302 }
  return pageResponse({
    status: error.status,
    title: 'The client has made a mistake',
    body: html`<section>
<h1>The client has made a mistake</h1>
<p>${error.message}</p>
<p><a href="${target}" rel="noreferrer">Go back to ${new URL(callback).host}</a></p>
<p class="quiet">Code: ${error.code}</p>
</section>`,
  })
}
