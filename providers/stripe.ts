import type { Stripe } from 'stripe'
import { badSignature } from '#core/billing/billing'
import type { PaymentProvider } from '#core/billing/payment-provider'
import { unavailable } from '#core/errors'
import { nextMonth } from '#core/time'

export type StripeOptions = {
  secretKey(): Promise<string>
  /** Signs the webhooks of one endpoint. */
  webhookSecret(): Promise<string>
  /** The price of the subscription, `price_…`. */
  price: string
  /** Another server that speaks Stripe's API, instead of Stripe: the stand-in of one machine. */
  server?: { protocol: 'http'; host: string; port: number; checkoutOrigin: string }
}

/**
 * How old a signed webhook may be, s: an older one is a replay. Stripe signs anew at each of its own retries.
 */
const TOLERANCE_SECONDS = 300
const TIMEOUT_MS = 10_000
/** The event name of the meter that the price bills; docs/sign-in.md tells how to create both. */
const METER_EVENT = 'footfall_events'

/**
 * The states of a subscription that count as paid. After a failed first payment it is not paid; Stripe tries
 * a late renewal again.
 */
const PAID = new Set(['active', 'trialing', 'past_due'])
/** States that a subscription never leaves. */
const OVER = new Set(['canceled', 'incomplete_expired'])

/**
 * Payments by Stripe: checkout pages, subscriptions, signed webhooks. The library is loaded at the first use.
 */
export function createStripePayments(options: StripeOptions): PaymentProvider {
  const { price, server, secretKey, webhookSecret } = options
  let opened: Promise<Stripe> | null = null

  async function stripe(): Promise<Stripe> {
    opened ??= open(await secretKey(), server)
    return opened
  }

  return {
    checkoutOrigin: server?.checkoutOrigin ?? 'https://checkout.stripe.com',

    async startCheckout({ account, successUrl, cancelUrl }) {
      const metadata = { account_id: account.id }
      const session = await orUnavailable(
        (await stripe()).checkout.sessions.create({
          mode: 'subscription',
          line_items: [{ price }],
          client_reference_id: account.id,
          customer_email: account.email,
          metadata,
          // Bills are of calendar months, as the events are counted (docs/api/limits.md).
          subscription_data: {
            metadata,
            billing_cycle_anchor: Math.floor(nextMonth(Date.now()) / 1_000),
            proration_behavior: 'none',
          },
          success_url: successUrl,
          cancel_url: cancelUrl,
        }),
      )
      if (session.url === null) throw unavailable('The payment provider opened no checkout. Try again.', 5)
      return session.url
    },

    async subscriptionOf(body, signature) {
      const client = await stripe()
      const event = verified(client, Buffer.from(body), signature, await webhookSecret())
      return subscriptionIn(event)
    },

    async subscription(id) {
      const found = await orUnavailable(existing((await stripe()).subscriptions.retrieve(id)))
      const account_id = found?.metadata.account_id
      if (found === null || account_id === undefined) return null
      return {
        id: found.id,
        account_id,
        customer: typeof found.customer === 'string' ? found.customer : found.customer.id,
        is_paid: PAID.has(found.status),
        is_over: OVER.has(found.status),
      }
    },

    async reportUsage({ customer, id, events, at }) {
      const report = (await stripe()).billing.meterEvents.create({
        event_name: METER_EVENT,
        identifier: id,
        timestamp: Math.floor(at / 1_000),
        payload: { stripe_customer_id: customer, value: String(events) },
      })
      // Stripe counts an identifier once. It refuses the second one, so the first has arrived.
      const counted = report.catch((error: Error) => {
        if (!error.message.includes('already exists with identifier')) throw error
      })
      await orUnavailable(counted)
    },

    async cancel(id) {
      // Stripe says of a subscription that is over that it does not exist.
      await orUnavailable(existing((await stripe()).subscriptions.cancel(id, { invoice_now: true })))
    },
  }
}

async function open(secretKey: string, server: StripeOptions['server']): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe')
  return new StripeClient(secretKey, {
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    ...(server !== undefined && { protocol: server.protocol, host: server.host, port: server.port }),
  })
}

function verified(client: Stripe, body: Buffer, signature: string, secret: string): Stripe.Event {
  try {
    return client.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS)
  } catch (error) {
    throw badSignature(error)
  }
}

/** The subscription that an event is about; null for the many events that do not concern us. */
function subscriptionIn(event: Stripe.Event): string | null {
  switch (event.type) {
    case 'checkout.session.completed': {
      const { subscription } = event.data.object
      return typeof subscription === 'string' ? subscription : (subscription?.id ?? null)
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return event.data.object.id
    default:
      return null
  }
}

/** Null where the provider has no such object. */
async function existing<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null
    throw error
  }
}

/** Network failures, throttling and failures of Stripe's own are transient; the rest is our bug. */
async function orUnavailable<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    const { statusCode, type } = error as { statusCode?: number; type?: string }
    const isTransient = type === 'StripeConnectionError' || statusCode === 429 || (statusCode ?? 0) >= 500
    throw isTransient
      ? unavailable('The payment provider cannot be reached now. Try again.', 5, error)
      : error
  }
}
