import { openOAuthClients } from '#core/access/oauth-clients'
import type { IdentityProvider } from '#core/access/provider'
import { createAccessStores } from '#core/access-stores'
import { createBilling } from '#core/billing/billing'
import { readProfile } from '#core/plans/profile'
import { createCodeHostProvider } from '#providers/code-host'
import { createNetwork } from '#providers/network'
import { createOpenIdProvider } from '#providers/openid'
import { systemClock as clock } from '#providers/system-clock'
import type { FunctionSettings } from '#schemas/functions'
import { createInstruments } from './instruments.ts'
import { createPayments, createSecretReader, type SecretReader } from './payments.ts'
import { readSettings } from './settings.ts'
import { createTracedStores } from './traced-stores.ts'

/** The services of the pages on AWS. */
/**
 * An open view of the dashboard runs some thirty statements, and Athena bills each as 10 MB at least. Asked
 * every minute, a screen that is on all day would cost more than a small install (docs/cost.md).
 */
export const REFRESH_SECONDS = 300

export function createPagesServices(environment: Record<string, string | undefined>) {
  const settings = readSettings('pages', environment)
  const { log, trace, instrument } = createInstruments()
  const { client, table, accounts, projects, usage } = createTracedStores(settings.TABLE_NAME, trace)
  const profile = readProfile(settings.PROFILE, settings.LIMITS)
  const admitted = settings.SIGN_UP.split(',').map(entry => entry.trim())
  const state = { client, table, clock }
  const secret = createSecretReader(settings, trace)
  const payments = profile.has_payments ? createPayments(settings, secret) : null
  const rooms = { accounts, projects, usage }
  const billing = payments && createBilling({ ...state, ...rooms, log, payments })
  const stores = createAccessStores({ ...state, ...rooms, log, profile, admitted, billing })
  const services = {
    ...stores,
    accounts,
    oauthClients: openOAuthClients({ ...state, network: createNetwork(), baseUrl: settings.BASE_URL }),
    ownerLinkCommand: 'the command of the output `MakeOwner`',
    providers: providersOf(settings, secret),
    // People sign in through their company's provider there, so the library stays out of the bundle.
    passkeyVerifier: null,
    refreshSeconds: REFRESH_SECONDS,
    readsTogether: true,
    mayHaveDemo: true,
    baseUrl: settings.BASE_URL,
    clock,
    log,
  }
  return { services, edgeKey: settings.EDGE_KEY, instrument }
}

function providersOf(settings: FunctionSettings<'pages'>, secret: SecretReader): IdentityProvider[] {
  const providers: IdentityProvider[] = []
  if (settings.OPENID_ISSUER !== '') {
    providers.push(
      createOpenIdProvider({
        issuer: settings.OPENID_ISSUER,
        clientId: settings.OPENID_CLIENT_ID,
        clientSecret: secret('openid_client_secret'),
        label: settings.OPENID_LABEL,
      }),
    )
  }
  if (settings.CODE_HOST_CLIENT_ID !== '') {
    providers.push(
      createCodeHostProvider({
        url: settings.CODE_HOST_URL,
        apiUrl: settings.CODE_HOST_API_URL,
        clientId: settings.CODE_HOST_CLIENT_ID,
        clientSecret: secret('code_host_client_secret'),
        label: settings.CODE_HOST_LABEL,
      }),
    )
  }
  return providers
}
