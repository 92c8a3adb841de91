import type { Browser, Page } from 'playwright-core'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Billing, createBilling } from '#core/billing/billing'
import { createUsageStore } from '#core/usage/store'
import { type StandIn, startPaymentStandIn } from '#local/payments/stand-in'
import { createStripePayments } from '#providers/stripe'
import { sharedBrowser } from '#test/support/browser'
import { openPagesService, type PagesService } from '#test/support/pages-service'

let service: PagesService
let browser: Browser
let standIn: StandIn
let billing: Billing

beforeAll(async () => {
  browser = await sharedBrowser()
  service = await openPagesService({
    profile: 'hosted',
    billing: async ({ baseUrl, state, clock, log, accounts }) => {
      standIn = await startPaymentStandIn({ webhookUrl: `${baseUrl}/webhooks/payment` })
      const payments = createStripePayments(standIn)
      billing = createBilling({ ...state, clock, log, accounts, payments, usage: createUsageStore(state) })
      return billing
    },
  })
})
afterAll(async () => {
  await standIn.close()
  await service.close()
})

let people = 0

/** A new free account, signed in on a phone without JavaScript. */
async function freeAccount(): Promise<{ page: Page; id: string; close(): Promise<void> }> {
  people += 1
  const email = `person${people}@example.com`
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
    baseURL: service.baseUrl,
  })
  const page = await context.newPage()
  await page.goto('/auth/sign-in')
  await page.getByRole('link', { name: 'Continue with this machine' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Sign-in code').fill(service.code())
  await page.getByRole('button', { name: 'Sign in' }).click()
  const id = (await page.locator('dd code').textContent()) ?? ''
  return { page, id, close: () => context.close() }
}

const tierOf = async (id: string) => (await service.accounts.byId(id))?.tier

async function payFor(page: Page, id: string): Promise<void> {
  await page.goto(`/account/billing/agent-upgrade?account=${id}&reason=pro_required`)
  await page.getByRole('button', { name: 'Go to checkout' }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
}

function sendWebhook(body: string, signature: string): Promise<Response> {
  return fetch(`${service.baseUrl}/webhooks/payment`, {
    method: 'POST',
    headers: { 'Stripe-Signature': signature },
    body,
  })
}

async function signed(event: object, at = Date.now()): Promise<[body: string, signature: string]> {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', created: Math.floor(at / 1_000), ...event })
  const secret = await standIn.webhookSecret()
  const timestamp = Math.floor(at / 1_000)
  return [payload, Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })]
}

test('a person who pays has Pro when the browser is back', async () => {
  const { page, id, close } = await freeAccount()
  expect(await tierOf(id)).toBe('free')
  await page.goto(`/account/billing/agent-upgrade?account=${id}&reason=pro_required`)
  await page.getByRole('button', { name: 'Go to checkout' }).click()
  expect(await billing.isCheckoutPending(id)).toBe(true)
  expect(await tierOf(id)).toBe('free')
  await page.getByRole('button', { name: 'Pay' }).click()
  expect(new URL(page.url()).pathname).toBe('/account/billing/done')
  expect(await page.textContent('h1')).toBe('You have Pro')
  expect(await tierOf(id)).toBe('pro')
  expect(await billing.isCheckoutPending(id)).toBe(false)
  await close()
})

test('a person who pays sets a spend cap and removes it, and nobody else has one', async () => {
  const { page, id, close } = await freeAccount()
  expect((await page.goto('/account/billing/spend-cap'))?.status()).toBe(403)
  await payFor(page, id)
  await page.goto('/settings')
  await page.getByRole('link', { name: 'Spend cap' }).click()
  const save = async (dollars: string) => {
    await page.getByLabel('Dollars a month').fill(dollars)
    await page.getByRole('button', { name: 'Save the spend cap' }).click()
  }
  const cap = async () => (await service.accounts.byId(id))?.monthly_spend_cap_dollars
  await save('25')
  expect([await cap(), await page.getByLabel('Dollars a month').inputValue()]).toEqual([25, '25'])
  await save('0')
  expect([await cap(), await page.textContent('body')]).toEqual([25, expect.stringContaining('999999')])
  await page.goto('/account/billing/spend-cap')
  await save('')
  expect(await cap()).toBeNull()
  await close()
})

test('a link for another account is blocked', async () => {
  const { page, id, close } = await freeAccount()
  const response = await page.goto('/account/billing/agent-upgrade?account=acc_0000000000000000')
  expect(response?.status()).toBe(403)
  expect(await page.getByRole('button', { name: 'Go to checkout' }).count()).toBe(0)
  expect(await tierOf(id)).toBe('free')
  await close()
})

describe('webhooks', () => {
  let id = ''
  let subscription = ''
  beforeAll(async () => {
    const person = await freeAccount()
    id = person.id
    await payFor(person.page, id)
    subscription = standIn.subscriptionOf(id) ?? ''
    await person.close()
  })

  test('without the signature of the provider are refused', async () => {
    const [body] = await signed({
      type: 'customer.subscription.deleted',
      data: { object: { id: subscription } },
    })
    const old = await signed(
      { type: 'customer.subscription.deleted', data: { object: { id: subscription } } },
      Date.now() - 10 * 60_000,
    )
    for (const signature of ['', 't=1,v1=00', old[1]]) {
      expect((await sendWebhook(body, signature)).status).toBe(403)
    }
    expect((await sendWebhook(...old)).status).toBe(403)
    expect(await tierOf(id)).toBe('pro')
  })

  test('that arrive again, late or at once give the state that the provider has now', async () => {
    const active = await signed({
      type: 'customer.subscription.created',
      data: { object: { id: subscription, status: 'active' } },
    })
    await standIn.setStatus(subscription, 'canceled')
    expect(await tierOf(id)).toBe('free')
    const late = await Promise.all(Array.from({ length: 5 }, () => sendWebhook(...active)))
    expect(late.every(({ ok }) => ok)).toBe(true)
    expect(await tierOf(id)).toBe('free')
    await standIn.setStatus(subscription, 'active')
    expect(await tierOf(id)).toBe('pro')
  })

  test('about something else are taken and change nothing', async () => {
    const other = await signed({ type: 'invoice.created', data: { object: { id: 'in_1' } } })
    const unknown = await signed({
      type: 'customer.subscription.deleted',
      data: { object: { id: 'sub_of_nobody' } },
    })
    expect([(await sendWebhook(...other)).status, (await sendWebhook(...unknown)).status]).toEqual([200, 200])
    expect(await tierOf(id)).toBe('pro')
  })
})

test('neither the table nor the log has the secret of the webhooks', async () => {
  const secret = await standIn.webhookSecret()
  await sendWebhook(
    ...(await signed({ type: 'customer.subscription.updated', data: { object: { id: 'sub_0' } } })),
  )
  await sendWebhook('{}', `t=1,v1=${secret}`)
  const { Items } = await service.state.client.scan({ TableName: service.state.table })
  expect(JSON.stringify([Items, service.logged])).not.toContain(secret)
})
