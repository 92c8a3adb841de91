import type { BrowserSession } from '#core/access/types'
import type { Account } from '#core/accounts/account'
import type { Billing } from '#core/billing/billing'
import { ApiError } from '#core/errors'
import { html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { csrfField, pageResponse, redirect } from '#lambdas/http/page'
import { jsonResponse } from '#lambdas/http/response'
import { type BrowserSteps, byBrowser, messagePage, readAccountNow } from './browser.ts'
import type { PagesServices } from './services.ts'

/** Why a client sends a human here; a text of the client itself is never shown. */
const REASONS: Record<string, string> = {
  pro_required: 'Your agent wants to do something that needs Pro.',
  read_cap: 'Your free plan has no reads left for this month.',
  event_cap: 'Your free plan has no events left for this month.',
}

/** The hand-off from an agent to the payment provider (docs/api/account.md). Only a human comes this far. */
export function billingPages(services: PagesServices, browser: BrowserSteps) {
  const { billing } = services
  return billing === null ? noPayments(browser) : pagesOf(billing, services, browser)
}

function pagesOf(billing: Billing, { accounts, audit, baseUrl }: PagesServices, browser: BrowserSteps) {
  const accountNow = (session: BrowserSession) => readAccountNow(accounts, session)

  const upgradePage = browser.signedIn(async ({ request, session, viewer }) => {
    const account = await accountNow(session)
    const asked = request.query.account
    if (asked !== undefined && asked !== account.id) {
      return messagePage({
        status: 403,
        viewer,
        title: 'This link is for another account',
        text: `You are signed in as ${account.email}, but the link belongs to another account. Sign in to that account, then open the link again.`,
        link: { href: '/auth/sign-in?switch=1', text: 'Use another account' },
      })
    }
    if (account.tier === 'pro') {
      return messagePage({
        viewer,
        title: 'You have Pro',
        text: 'There is nothing to pay here. Go back to your agent and let it try again.',
      })
    }
    return pageResponse({
      title: 'Upgrade to Pro',
      viewer,
      formTargets: [billing.checkoutOrigin],
      body: html`<section>
<h1>Upgrade to Pro</h1>
<p>${REASONS[request.query.reason ?? ''] ?? 'Pro has all reports, no monthly cap on events and reads, and 365 days of data.'}</p>
<dl>
<dt>Account</dt><dd>${account.email}</dd>
<dt>Price</dt><dd>1 dollar per 10,000 events, by use</dd>
</dl>
<p class="quiet">The payment provider takes your payment data; this service never sees it. An agent cannot pay for you.</p>
<form method="post" action="/account/billing/checkout">${csrfField(viewer.csrfToken)}<button>Go to checkout</button></form>
</section>`,
    })
  })

  const startCheckout = browser.form(async ({ session }) => {
    const account = await accountNow(session)
    if (account.tier === 'pro') return redirect('/account/billing/done')
    const address = await billing.startCheckout(account, baseUrl)
    await audit.record(
      byBrowser({
        account_id: session.account.id,
        session_id: session.id,
        action: 'checkout_started',
        route: 'POST /account/billing/checkout',
        status: 303,
      }),
    )
    return redirect(address)
  })

  const checkoutDone = browser.signedIn(async ({ session, viewer }) =>
    (await accountNow(session)).tier === 'pro'
      ? messagePage({
          viewer,
          title: 'You have Pro',
          text: 'Go back to your agent and let it try again.',
          link: { href: '/settings', text: 'Your account' },
        })
      : messagePage({
          viewer,
          title: 'The payment is being confirmed',
          text: 'This takes a few seconds. Your agent notices it by itself; you can also reload this page.',
          link: { href: '/account/billing/done', text: 'Look again' },
        }),
  )

  const spendCapPage = browser.signedIn(async ({ session, viewer }) => {
    const { monthly_spend_cap_dollars: dollars } = await payingAccount(session)
    return pageResponse({
      title: 'Spend cap',
      viewer,
      body: html`<section>
<h1>Spend cap</h1>
<p>${dollars === null ? 'This account has no spend cap.' : `This account spends at most ${dollars} dollars a month.`} When the cap is reached, new events are refused until the next month begins. One dollar pays for 10,000 events.</p>
<form method="post">${csrfField(viewer.csrfToken)}
<label for="dollars">Dollars a month; leave it empty for no cap</label>
<input id="dollars" name="dollars" inputmode="numeric" pattern="[0-9]*" autocomplete="off" value="${dollars ?? ''}">
<button>Save the spend cap</button></form>
<p><a href="/settings">Your account</a></p>
</section>`,
    })
  })

  const changeSpendCap = browser.form(async ({ session, fields }) => {
    const { id } = await payingAccount(session)
    await accounts.setSpendCap(id, readDollars(fields.get('dollars') ?? ''))
    await audit.record(
      byBrowser({
        account_id: id,
        session_id: session.id,
        action: 'spend_cap_changed',
        route: 'POST /account/billing/spend-cap',
        status: 303,
      }),
    )
    return redirect('/account/billing/spend-cap')
  })

  async function payingAccount(session: BrowserSession): Promise<Account> {
    const account = await accountNow(session)
    if (isPaying(account)) return account
    throw new ApiError(
      'PRO_REQUIRED',
      'This account pays nothing, so it cannot have a spend cap. Upgrade to Pro first.',
    )
  }

  async function paymentWebhook(request: HttpRequest): Promise<HttpResponse> {
    await billing.takeWebhook(request.body, request.headers['stripe-signature'] ?? '')
    return jsonResponse(200, { ok: true })
  }

  return { upgradePage, startCheckout, spendCapPage, changeSpendCap, checkoutDone, paymentWebhook }
}

/** Whether somebody pays for the account. */
export function isPaying({ tier, complimentary }: Account): boolean {
  return tier === 'pro' && !complimentary
}

/** Empty text: no cap. Throws MISSING_FIELDS. */
function readDollars(text: string): number | null {
  if (text.trim() === '') return null
  const dollars = Number(text)
  if (/^\d{1,6}$/.test(text.trim()) && dollars > 0) return dollars
  throw new ApiError(
    'MISSING_FIELDS',
    'The spend cap is not a number of dollars from 1 to 999999. Enter whole dollars, or nothing for no cap.',
  )
}

/** Where nobody pays, none of these paths is there, whoever asks and whatever the request says. */
function noPayments(browser: BrowserSteps): ReturnType<typeof pagesOf> {
  const notThere = browser.open(() => {
    throw new ApiError('NOT_FOUND', 'This service takes no payments. Use it without a plan.')
  })
  return {
    upgradePage: notThere,
    startCheckout: notThere,
    checkoutDone: notThere,
    spendCapPage: notThere,
    changeSpendCap: notThere,
    paymentWebhook: notThere,
  }
}
