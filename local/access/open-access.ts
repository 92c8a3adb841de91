import type { IncomingMessage, ServerResponse } from 'node:http'
import { openOAuthClients } from '#core/access/oauth-clients'
import { type AccessStores, createAccessStores } from '#core/access-stores'
import type { Clock, Log } from '#core/ports'
import type { HttpFunction } from '#lambdas/http/http'
import { pagesHandler } from '#lambdas/pages/handler'
import { builtDashboard } from '#local/browser-scripts'
import { type Settings, SettingsError } from '#local/settings'
import { GATHER_MS, type Storage } from '#local/storage'
import { createNetwork } from '#providers/network'
import { isLoopback } from '#providers/openid'
import { createFeedbackFile } from './feedback-file.ts'
import { createPasskeyVerifier } from './passkey-verifier.ts'
import { profileOf } from './profile.ts'
import { openProviders } from './providers.ts'

/** How often an open view of the dashboard asks again, s. A question costs nothing here. */
const REFRESH_SECONDS = 60

export type Access = AccessStores & {
  pages: HttpFunction
  /** How people sign in, beside the link of the owner. */
  signInWays: readonly string[]
  /** Answers requests of the pages of our own providers; false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * A new one-time link that signs a browser in as the owner, or as the account of an address, which is made
   * where there is none.
   */
  setupLink(email?: string): Promise<string>
  close(): Promise<void>
}

export type AccessOptions = { baseUrl: string; ownerId: string; clock: Clock; log: Log }

/**
 * Opens what decides who may call: sessions, sign-in, pages and, under the profile `hosted`, payments. Throws
 * SettingsError for settings that do not fit together.
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
  // Nothing of payments is loaded where nobody pays.
  const payments = profile.has_payments
    ? await (await import('#local/payments/open-payments')).openPayments(settings, storage, {
        baseUrl,
        clock,
        log,
      })
    : null
  const stores = createAccessStores({
    client,
    table,
    accounts,
    projects,
    usage,
    clock,
    log,
    profile,
    admitted,
    feedbackSink,
    gatherMs: GATHER_MS,
    billing: payments?.billing ?? null,
  })
  const ownerEmail = (await accounts.byId(ownerId))?.email ?? ''
  const { providers, embedded, serve } = openProviders(settings, {
    ...{ baseUrl, ownerEmail, clock, log },
    mayGetCode: email => stores.identities.mayBeSentCode(email),
  })
  if (embedded !== null && ownerEmail !== '') {
    const identity = { issuer: embedded.issuer, subject: ownerEmail, email: ownerEmail, login: null }
    await stores.identities.link(ownerId, { provider: 'idp', ...identity })
  }
  const passkeyVerifier = createPasskeyVerifier(baseUrl)
  const oauthClients = openOAuthClients({ client, table, clock, network: createNetwork(), baseUrl })
  const pages = pagesHandler({
    ...{ ...stores, accounts, oauthClients, providers, passkeyVerifier, baseUrl, clock, log },
    ownerLinkCommand: '`footfall admin link` on the machine of this service',
    refreshSeconds: REFRESH_SECONDS,
    // Each answer is drawn when it comes.
    readsTogether: false,
    mayHaveDemo: settings.SEED_DEMO,
    dashboard: async () => (await builtDashboard()).entry,
  })
  return {
    ...stores,
    pages,
    signInWays: [...providers.map(({ label }) => label), ...(passkeyVerifier === null ? [] : ['passkeys'])],
    serve,
    async setupLink(email) {
      const isOwner = email === undefined || email.toLowerCase() === ownerEmail.toLowerCase()
      const accountId = isOwner ? ownerId : (await stores.identities.ofAddress(email)).id
      return `${baseUrl}/setup/${await stores.setupLinks.issue(accountId)}`
    },
    async close() {
      await payments?.close()
      await stores.audit.flush()
    },
  }
}
