import * as z from 'zod'
import type { PaymentProvider } from '#core/billing/payment-provider'
import { createStripePayments } from '#providers/stripe'
import type { FunctionSettings } from '#schemas/functions'
import { createSecretsManagerClient } from './clients.ts'
import type { Instruments } from './instruments.ts'
import { createSecrets } from './secrets.ts'

/** The JSON of the secret `accessSecretArn`. Each key is needed only with the option that it belongs to. */
const secretSchema = z.object({
  openid_client_secret: z.string().optional(),
  code_host_client_secret: z.string().optional(),
  stripe_secret_key: z.string().optional(),
  stripe_webhook_secret: z.string().optional(),
})

export type SecretReader = (key: keyof z.output<typeof secretSchema>) => () => Promise<string>

/** Reads the keys of the providers from Secrets Manager, when one is first needed. */
export function createSecretReader(
  { PROVIDER_CREDENTIALS }: Pick<FunctionSettings<'pages'>, 'PROVIDER_CREDENTIALS'>,
  trace: Instruments['trace'],
): SecretReader {
  const secrets = createSecrets({ client: trace(createSecretsManagerClient()), now: Date.now })
  return key => async () => {
    const value = secretSchema.parse(JSON.parse(await secrets.get(PROVIDER_CREDENTIALS)))[key]
    if (value === undefined) throw new Error(`the secret of the option accessSecretArn has no ${key}`)
    return value
  }
}

/** The payment provider, or null where the deployer has chosen none. */
export function createPayments(
  { STRIPE_PRICE }: Pick<FunctionSettings<'pages'>, 'STRIPE_PRICE'>,
  secret: SecretReader,
): PaymentProvider | null {
  if (STRIPE_PRICE === '') return null
  return createStripePayments({
    secretKey: secret('stripe_secret_key'),
    webhookSecret: secret('stripe_webhook_secret'),
    price: STRIPE_PRICE,
  })
}
