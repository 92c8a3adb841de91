import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AccessStores, createAccessStores } from '#core/access-stores'
import { createBilling } from '#core/billing/billing'
import type { Clock, Log } from '#core/ports'
import type { HttpFunction } from '#lambdas/http'
import { pagesHandler } from '#lambdas/pages/handler'
import { startPaymentStandIn } from '#local/payments/stand-in'
import { type Settings, SettingsError } from '#local/settings'
import { GATHER_MS, type Storage } from '#local/storage'
import { isLoopback } from '#providers/openid'
import { createStripePayments } from '#providers/stripe'
import { createFeedbackFile } from './feedback-file.ts'
import { profileOf } from './profile.ts'
import { openProviders } from './providers.ts'

export type Access = AccessStores & {
  pages: HttpFunction
  /** Answers requests of the embedded identity provider; false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /** A new one-time link that signs a browser in as the owner. */
  setupLink(): Promise<string>
  close(): Promise<void>
}

export type AccessOptions = { baseUrl: string; ownerId: string; clock: Clock; log: Log }

/**
 * Opens what decides who may call: sessions, sign-in, pages and, under the profile `hosted`, payments. Throws SettingsError
 * for settings that do not fit together.
 */
export async function openAccess(
  settings: Settings,
  storage: Storage,
  { baseUrl, ownerId, clock, log }: AccessOptions,
): Promise<Access> {
  const { client, table, accounts, projects, usage } = storage
  const profile = profileOf(settings)
  const admitted = (settings.SIGN_UP ?? '').split(',').map(entry => entry.trim())
  if (settings.DEV_APPROVE && !isLoopback(new URL(baseUrl).hostname)) {
    throw new SettingsError('DEV_APPROVE must be false where BASE_URL is not on this machine.')
  }
  const feedbackSink = createFeedbackFile(settings.DATA_DIR)
  const rooms = { accounts, projects, usage }
  // Nothing of payments is loaded where nobody pays.
  const payments = profile.has_payments ? await openPayments(settings, baseUrl) : null
  const stores = createAccessStores({
    client,
    table,
    ...rooms,
    clock,
    log,
    profile,
    admitted,
    feedbackSink,
    gatherMs: GATHER_MS,
    billing: payments && createBilling({ client, table, ...rooms, clock, log, payments: payments.provider }),
  })
  const ownerEmail = (await accounts.byId(ownerId))?.email ?? ''
  const { providers, embedded, serve } = openProviders(settings, baseUrl, ownerEmail)
  if (embedded !== null && ownerEmail !== '') {
    const identity = { issuer: embedded.issuer, subject: ownerEmail, email: ownerEmail, login: null }
    await stores.identities.link(ownerId, { provider: 'idp', ...identity })
  }
  const pages = pagesHandler({ ...stores, accounts, providers, baseUrl, clock, log })
  return {
    ...stores,
    pages,
    serve,
    setupLink: async () => `${baseUrl}/setup/${await stores.setupLinks.issue(ownerId)}`,
    async close() {
      await payments?.close()
      await stores.audit.flush()
    },
  }
}

async function openPayments(settings: Settings, baseUrl: string) {
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
  const provider = createStripePayments({
    secretKey: async () => key,
    webhookSecret: async () => webhook,
    price,
  })
  return { provider, close: async () => {} }
}
