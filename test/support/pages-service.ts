import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgentSessionStore } from '#core/access/agent-sessions'
import { createAuthRequestStore } from '#core/access/auth-requests'
import { createBrowserSessionStore } from '#core/access/browser-sessions'
import { createClientDocuments } from '#core/access/client-documents'
import { createClientRegistry } from '#core/access/client-registry'
import { createIdentityDirectory } from '#core/access/identities'
import { createOAuthClients } from '#core/access/oauth-clients'
import { createPasskeys } from '#core/access/passkeys'
import type { IdentityProvider } from '#core/access/provider'
import { createSetupLinks } from '#core/access/setup-links'
import { createShareLinks } from '#core/access/share-links'
import { createSignInAttempts } from '#core/access/sign-in-attempts'
import { createAuditLog } from '#core/accounts/audit'
import { type AccountStore, createAccountStore } from '#core/accounts/store'
import type { Billing } from '#core/billing/billing'
import { createAddressGuards } from '#core/limits/address-guards'
import type { OutboundClient } from '#core/outbound/outbound-client'
import { profiles } from '#core/plans/profile'
import type { Clock, Log } from '#core/ports'
import { createProjectStore } from '#core/projects/store'
import { createScanStore } from '#core/scans/scan-store'
import { createUsageStore } from '#core/usage/store'
import type { HttpFunction } from '#lambdas/http/http'
import { pagesHandler } from '#lambdas/pages/handler'
import { createPasskeyVerifier } from '#local/access/passkey-verifier'
import { builtDashboard } from '#local/browser-scripts'
import { startHttp } from '#local/http/server'
import { createEmbeddedProvider } from '#local/identity/embedded-provider'
import { signInCode, signInCodePath } from '#local/identity/sign-in-code'
import { createOpenIdProvider } from '#providers/openid'
import { systemClock } from '#providers/system-clock'
import { keepPort } from './keep-port.ts'
import { openTestState } from './test-state.ts'

export const OWNER_EMAIL = 'owner@localhost'

type Outbound = Pick<OutboundClient, 'fetch'>
const NO_OUTBOUND: Outbound = {
  fetch: async () => {
    throw new Error('This service fetches nothing.')
  },
}

export type PagesServiceOptions = {
  profile?: 'own' | 'hosted'
  /** False: without the embedded one. Default: true. */
  hasEmbedded?: boolean
  /** BASE_URL, where it is not the address that the service listens at. */
  publicUrl?: string
  /** Identity providers beside the embedded one. */
  providers?: readonly IdentityProvider[]
  /** Fetches client id metadata documents. Default: nothing can be fetched. */
  outbound?: Outbound
  billing?: (service: {
    baseUrl: string
    state: Awaited<ReturnType<typeof openTestState>>
    clock: Clock
    log: Log
    accounts: AccountStore
  }) => Promise<Billing>
}

/**
 * Opens the pages behind the server of one machine, with the embedded provider and real stores on an empty
 * state.
 */
export async function openPagesService({
  profile = 'own',
  hasEmbedded = true,
  providers = [],
  outbound = NO_OUTBOUND,
  publicUrl,
  billing,
}: PagesServiceOptions = {}) {
  const state = await openTestState()
  const folder = mkdtempSync(join(tmpdir(), 'footfall-pages-'))
  const port = await keepPort()
  const baseUrl = `http://localhost:${port}`
  let offset = 0
  const clock = { ...systemClock, now: () => Date.now() + offset }
  const services = { ...state, clock }
  const logged: { code: string; fields: unknown }[] = []
  const log = (code: string, fields?: unknown) => void logged.push({ code, fields })
  const accounts = createAccountStore(services)
  const embedded = createEmbeddedProvider({
    baseUrl,
    code: () => signInCode(folder),
    codePath: signInCodePath(folder),
    email: OWNER_EMAIL,
  })
  const identities = createIdentityDirectory({
    ...services,
    accounts,
    profile: profiles[profile],
    admitted: ['friend@example.com'],
  })
  const agentSessions = createAgentSessionStore({ ...services, accounts })
  const authRequests = createAuthRequestStore(services)
  const browserSessions = createBrowserSessionStore({ ...services, accounts })
  const clientRegistry = createClientRegistry(services)
  const documents = createClientDocuments({ ...services, outbound })
  const setupLinks = createSetupLinks(services)
  const passkeys = createPasskeys(services)
  const signInAttempts = createSignInAttempts(services)
  const projects = createProjectStore({
    ...services,
    usage: createUsageStore(state),
    scans: createScanStore(services),
  })
  const shareLinks = createShareLinks({ ...services, accounts, projects })
  const audit = createAuditLog({ ...services, log })
  const deleted: string[] = []
  const guards = createAddressGuards({ ...services, profile: profiles[profile] })
  const pages = pagesHandler({
    browserSessions,
    authRequests,
    oauthClients: createOAuthClients({ documents, registry: clientRegistry }),
    agentSessions,
    identities,
    signInAttempts,
    setupLinks,
    passkeys,
    passkeyVerifier: createPasskeyVerifier(publicUrl ?? baseUrl),
    shareLinks,
    ownerLinkCommand: '`footfall admin link` on the machine of this service',
    providers: [
      ...(hasEmbedded
        ? [
            createOpenIdProvider({
              issuer: embedded.issuer,
              clientId: embedded.clientId,
              clientSecret: async () => embedded.clientSecret,
              label: 'this machine',
              accountPrompt: 'login' as const,
            }),
          ]
        : []),
      ...providers,
    ],
    accounts,
    deleteAccount: async ({ id }) => void deleted.push(id),
    audit,
    guards,
    dashboard: async () => (await builtDashboard()).entry,
    billing: (await billing?.({ baseUrl, state, clock, log, accounts })) ?? null,
    refreshSeconds: 60,
    readsTogether: true,
    mayHaveDemo: true,
    baseUrl: publicUrl ?? baseUrl,
    clock,
    log,
  })
  const unused: HttpFunction = async () => {
    throw new Error('This service has only pages.')
  }
  const server = await startHttp({
    port,
    host: 'localhost',
    log,
    functions: {
      pages,
      auth: unused,
      track: unused,
      reports: unused,
      stream: unused,
      control: unused,
      site: unused,
      mcp: unused,
      replay: unused,
    },
    localPages: embedded.serve,
  })
  const owner = await accounts.create({ email: OWNER_EMAIL, tier: 'pro', complimentary: true })
  await identities.link(owner.id, {
    provider: 'idp',
    issuer: embedded.issuer,
    subject: OWNER_EMAIL,
    email: OWNER_EMAIL,
    login: null,
  })
  return {
    baseUrl,
    state,
    accounts,
    agentSessions,
    authRequests,
    clientRegistry,
    browserSessions,
    guards,
    identities,
    setupLinks,
    passkeys,
    shareLinks,
    projects,
    audit,
    owner,
    deleted,
    logged,
    code: () => signInCode(folder),
    /** The challenge of a sign-in by passkey, and the cookie of the browser that asked. */
    async passkeyChallenge() {
      const { token, secrets } = await signInAttempts.begin({ provider: 'passkey', return_to: '/settings' })
      return { challenge: secrets.nonce, cookie: { name: `footfall-sign-in-${port}`, value: token } }
    },
    /** Moves the clock of the service ahead. */
    wait(ms: number) {
      offset += ms
    },
    async close() {
      await server.close()
      await state.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type PagesService = Awaited<ReturnType<typeof openPagesService>>
