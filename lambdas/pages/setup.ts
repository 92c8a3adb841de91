import { ApiError } from '#core/errors'
import { html } from '#lambdas/http/html'
import { pageResponse, redirect } from '#lambdas/http/page'
import { type BrowserSteps, byBrowser } from './browser.ts'
import type { PagesServices } from './services.ts'

/**
 * The owner's one-time link. Opening it changes nothing, so that a preview of the link does not use it up.
 */
export function setupPages(
  {
    setupLinks,
    browserSessions,
    passkeys,
    passkeyVerifier,
    providers,
    audit,
    clock,
    ownerLinkCommand,
  }: PagesServices,
  browser: BrowserSteps,
) {
  const setupPage = browser.open(async request => {
    if (!(await setupLinks.isValid(request.params.link ?? ''))) throw usedUp(ownerLinkCommand)
    return pageResponse({
      title: 'Sign in as the owner',
      body: html`<section>
<h1>Sign in as the owner</h1>
<p>This link signs this browser in to the owner's account. It works once.</p>
<form method="post"><button>Sign in</button></form>
</section>`,
    })
  })

  /** The link's secret is the form's own: who knows it may sign in, so a CSRF token would add nothing. */
  const redeemSetup = browser.open(async request => {
    const accountId = await setupLinks.redeem(request.params.link ?? '')
    if (accountId === null) throw usedUp(ownerLinkCommand)
    const { token, expires_at } = await browserSessions.rotate(
      browser.cookie.read(request) ?? null,
      accountId,
    )
    await audit.record(
      byBrowser({
        account_id: accountId,
        session_id: 'setup_link',
        action: 'signed_in',
        route: 'POST /setup/{link}',
        status: 303,
      }),
    )
    return redirect(await nextPage(accountId), [
      browser.cookie.set(token, Math.floor((expires_at - clock.now()) / 1_000)),
    ])
  })

  /** Without a provider, a passkey is the way to sign in on the next day. */
  async function nextPage(accountId: string): Promise<string> {
    const needsPasskey = passkeyVerifier !== null && providers.length === 0
    return needsPasskey && (await passkeys.list(accountId)).length === 0 ? '/settings/passkeys/new' : '/app'
  }

  return { setupPage, redeemSetup }
}

function usedUp(command: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `This setup link is used up, too old or wrong. Use ${command} to get another.`,
  )
}
