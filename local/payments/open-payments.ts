import { type Billing, createBilling } from '#core/billing/billing'
import type { Log, Now } from '#core/ports'
import { type Settings, SettingsError } from '#local/settings'
import type { Storage } from '#local/storage'
import { isLoopback } from '#providers/openid'
import { createStripePayments } from '#providers/stripe'
import { startPaymentStandIn } from './stand-in.ts'

/**
 * Opens the payments: with Stripe if the settings have its key, else with a test checkout, on this machine
 * only. Throws SettingsError where neither is possible.
 */
export async function openPayments(
  settings: Settings,
  { client, table, accounts, usage }: Storage,
  { baseUrl, clock, log }: { baseUrl: string; clock: Now; log: Log },
): Promise<{ billing: Billing; close(): Promise<void> }> {
  const { provider, close } = await openProvider(settings, baseUrl)
  const billing = createBilling({ client, table, accounts, usage, clock, log, payments: provider })
  return { billing, close }
}

async function openProvider(settings: Settings, baseUrl: string) {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhook = '', STRIPE_PRICE: price = '' } = settings
  if (key === undefined) {
    if (!isLoopback(new URL(baseUrl).hostname)) {
      throw new SettingsError(
        'STRIPE_SECRET_KEY must be set where PROFILE is hosted and BASE_URL is not on this machine.',
      )
    }
    const standIn = await startPaymentStandIn({ webhookUrl: `${baseUrl}/webhooks/payment` })
    return { provider: createStripePayments(standIn), close: standIn.close }
  }
  const secrets = { secretKey: async () => key, webhookSecret: async () => webhook }
  return { provider: createStripePayments({ ...secrets, price }), close: async () => {} }
}
