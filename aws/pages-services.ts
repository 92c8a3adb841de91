import * as z from 'zod'
import { createAccessStores } from '#core/access-stores'
import { createBilling } from '#core/billing/billing'
import { readProfile } from '#core/limits/profile'
import type { Clock } from '#core/ports'
import type { IdentityProvider } from '#core/sign-in/provider'
import { createCodeHostProvider } from '#providers/code-host'
import { createOpenIdProvider } from '#providers/openid'
import { createStripePayments } from '#providers/stripe'
import type { FunctionSettings } from '#schemas/functions'
import { createSecretsManagerClient } from './clients.ts'
import { createInstruments } from './instruments.ts'
import { createSecrets } from './secrets.ts'
import { createTracedStores } from './services.ts'
import { readSettings } from './settings.ts'

const clock: Clock = { now: Date.now }

/** The JSON of the secret `accessSecretArn`. Each key is needed only with the option that it belongs to. */
const secretSchema = z.object({
  openid_client_secret: z.string().optional(),
  code_host_client_secret: z.string().optional(),
  stripe_secret_key: z.string().optional(),
  stripe_webhook_secret: z.string().optional(),
})

type SecretReader = (key: keyof z.output<typeof secretSchema>) => () => Promise<string>

/** The services of the pages on AWS. */
export function createPagesServices(environment: Record<string, string | undefined>) {
  const settings = readSettings('pages', environment)
  const { log, trace, instrument } = createInstruments()
  const { client, table, accounts, projects, usage } = createTracedStores(settings.TABLE_NAME, trace)
  const profile = readProfile(settings.PROFILE, settings.LIMITS)
  const admitted = settings.SIGN_UP.split(',').map(entry => entry.trim())
  const state = { client, table, clock }
  const stores = createAccessStores({ ...state, accounts, projects, usage, log, profile, admitted })
  const secrets = createSecrets({ client: trace(createSecretsManagerClient()), now: clock.now })
  const secret: SecretReader = key => async () => {
    const value = secretSchema.parse(JSON.parse(await secrets.get(settings.PROVIDER_CREDENTIALS)))[key]
    if (value === undefined) throw new Error(`the secret of the option accessSecretArn has no ${key}`)
    return value
  }
  const payments =
    profile.has_payments && settings.STRIPE_PRICE !== ''
      ? createStripePayments({
          secretKey: secret('stripe_secret_key'),
          webhookSecret: secret('stripe_webhook_secret'),
          price: settings.STRIPE_PRICE,
        })
      : null
  const services = {
    ...stores,
    accounts,
    providers: providersOf(settings, secret),
    billing: payments && createBilling({ ...state, accounts, payments }),
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
