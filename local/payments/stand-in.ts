import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { html } from '#lambdas/http/html'
import { pageResponse } from '#lambdas/http/page'
import type { StripeOptions } from '#providers/stripe'

export type StandIn = StripeOptions & {
  server: NonNullable<StripeOptions['server']>
  /** The newest subscription of an account, or null. */
  subscriptionOf(accountId: string): string | null
  /** The events that were reported of an account, each report once. */
  usageOf(accountId: string): number
  /** Changes the state of a subscription, as a customer or a failed payment does, and sends the webhook. */
  setStatus(subscriptionId: string, status: string): Promise<void>
  close(): Promise<void>
}

type Checkout = {
  id: string
  account_id: string
  success_url: string
  cancel_url: string
  subscription: string | null
}
type Subscription = {
  id: string
  object: 'subscription'
  customer: string
  status: string
  metadata: { account_id: string }
}

/**
 * Stands in for Stripe on one machine, so that an upgrade can be tried with no outside account and no money:
 * the few calls of its API that we use, a checkout page, and webhooks signed as Stripe signs them. It listens
 * on loopback only and forgets everything when the service stops.
 */
export async function startPaymentStandIn({ webhookUrl }: { webhookUrl: string }): Promise<StandIn> {
  const secretKey = `sk_test_${randomBytes(24).toString('hex')}`
  const webhookSecret = `whsec_${randomBytes(24).toString('hex')}`
  const checkouts = new Map<string, Checkout>()
  const subscriptions = new Map<string, Subscription>()
  /** Reports by their identifiers. */
  const reports = new Map<string, { customer: string; events: number }>()
  let origin = ''

  const server = createServer((request, response) => {
    answer(request, response).catch(() =>
      sendJson(response, 500, { error: { message: 'The test checkout failed.' } }),
    )
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin)
    const [, first, second = '', third = ''] = pathname.split('/')
    if (first === 'v1') {
      if (request.headers.authorization !== `Bearer ${secretKey}`) {
        sendJson(response, 401, { error: { type: 'invalid_request_error', message: 'Invalid API key.' } })
        return
      }
      await answerApi(request, response, second, third)
      return
    }
    const checkout = first === 'pay' ? checkouts.get(second) : undefined
    if (checkout === undefined) sendJson(response, 404, { error: { message: 'There is nothing here.' } })
    else if (request.method === 'POST') await pay(checkout, response)
    else sendPage(response, checkout)
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, kind: string, id: string) {
    if (request.method === 'POST' && kind === 'checkout' && id === 'sessions') {
      const fields = new URLSearchParams(await readText(request))
      const checkout = {
        id: `cs_test_${randomBytes(12).toString('hex')}`,
        account_id: fields.get('client_reference_id') ?? '',
        success_url: fields.get('success_url') ?? '',
        cancel_url: fields.get('cancel_url') ?? '',
        subscription: null,
      }
      checkouts.set(checkout.id, checkout)
      sendJson(response, 200, {
        id: checkout.id,
        object: 'checkout.session',
        url: `${origin}/pay/${checkout.id}`,
      })
      return
    }
    if (request.method === 'POST' && kind === 'billing' && id === 'meter_events') {
      const fields = new URLSearchParams(await readText(request))
      const identifier = fields.get('identifier') ?? ''
      const customer = fields.get('payload[stripe_customer_id]') ?? ''
      const events = Number(fields.get('payload[value]'))
      // Stripe answers a second report with an error, which says that it has the first one.
      if (reports.has(identifier)) {
        sendJson(response, 400, {
          error: {
            type: 'invalid_request_error',
            message: `An event already exists with identifier ${identifier}.`,
          },
        })
        return
      }
      reports.set(identifier, { customer, events })
      sendJson(response, 200, { object: 'billing.meter_event', identifier })
      return
    }
    const subscription = kind === 'subscriptions' ? subscriptions.get(id) : undefined
    if (subscription !== undefined && request.method === 'GET') sendJson(response, 200, subscription)
    else if (
      subscription !== undefined &&
      request.method === 'DELETE' &&
      subscription.status !== 'canceled'
    ) {
      await setStatus(id, 'canceled')
      sendJson(response, 200, subscription)
    } else sendJson(response, 404, { error: { type: 'invalid_request_error', message: 'No such object.' } })
  }

  /** The customer pays: the subscription is there, and the webhook is sent before the browser goes back. */
  async function pay(checkout: Checkout, response: ServerResponse): Promise<void> {
    if (checkout.subscription === null) {
      const id = `sub_test_${randomBytes(12).toString('hex')}`
      checkout.subscription = id
      const metadata = { account_id: checkout.account_id }
      const customer = customerOf(checkout.account_id)
      subscriptions.set(id, { id, object: 'subscription', customer, status: 'active', metadata })
      const completed = { id: checkout.id, object: 'checkout.session', subscription: id }
      await sendWebhook('checkout.session.completed', completed)
    }
    response.writeHead(303, { Location: checkout.success_url }).end()
  }

  async function setStatus(subscriptionId: string, status: string): Promise<void> {
    const subscription = subscriptions.get(subscriptionId)
    if (subscription === undefined) throw new Error(`there is no subscription ${subscriptionId}`)
    subscription.status = status
    await sendWebhook('customer.subscription.updated', subscription)
  }

  async function sendWebhook(type: string, object: unknown): Promise<void> {
    const created = Math.floor(Date.now() / 1_000)
    const id = `evt_test_${randomBytes(12).toString('hex')}`
    const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } })
    const signature = createHmac('sha256', webhookSecret).update(`${created}.${body}`).digest('hex')
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${created},v1=${signature}` }
    const response = await fetch(webhookUrl, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`the service answers the webhook with ${response.status}`)
  }

  function sendPage(response: ServerResponse, { account_id, success_url, cancel_url }: Checkout): void {
    const { status, headers, body } = pageResponse({
      title: 'Checkout',
      // The browser also checks where the form's response redirects it to.
      formTargets: [new URL(success_url).origin],
      body: html`<section>
<h1>Test checkout</h1>
<p>This page stands in for the payment provider. Nobody pays anything here.</p>
<dl><dt>Account</dt><dd>${account_id}</dd><dt>Plan</dt><dd>Pro</dd></dl>
<form method="post"><button>Pay</button></form>
<p><a href="${cancel_url}">Cancel</a></p>
</section>`,
    })
    response.writeHead(status, headers).end(body)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    secretKey: async () => secretKey,
    webhookSecret: async () => webhookSecret,
    price: 'price_test',
    server: { protocol: 'http', host: '127.0.0.1', port, checkoutOrigin: origin },
    subscriptionOf: accountId =>
      [...subscriptions.values()].findLast(({ metadata }) => metadata.account_id === accountId)?.id ?? null,
    usageOf: accountId =>
      [...reports.values()]
        .filter(({ customer }) => customer === customerOf(accountId))
        .reduce((sum, { events }) => sum + events, 0),
    setStatus,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An account has one customer. */
function customerOf(accountId: string): string {
  return `cus_test_${accountId}`
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
