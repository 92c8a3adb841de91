import * as z from 'zod'
import { PROFILE_NAMES } from '#core/plans/profile'

const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://login.example.com' })
  .transform(text => text.replace(/(?<!\/)\/+$/, ''))
const text = z.string().regex(/^\P{Cc}+$/u, 'must be one line of text')
/** readSettings never repeats the value of a setting whose name has `SECRET`. */
const secret = text

/** The settings of accounts, sign-in and payments, by the name of their environment variable. */
export const accessSettings = {
  PROFILE: z
    .enum(PROFILE_NAMES, 'must be own or hosted')
    .default('own')
    .meta({ description: 'Plans and limits: `own` has none, `hosted` sells a Pro plan to everybody' }),
  LIMITS: text.optional().meta({
    description: 'Numbers of the profile that you replace, such as `own.retention_days=400,open_streams=20`',
  }),
  SIGN_UP: text.optional().meta({
    description:
      'Who may sign in beside the owner: addresses and domains, such as `ada@example.com,@example.org`',
  }),
  EMBEDDED_SIGN_IN: z.stringbool({ error: 'must be true or false' }).optional().meta({
    description:
      'Sign-in page of the service itself; off by default where OPENID_ISSUER is set or BASE_URL is not on this machine',
    preset: 'on this machine `true`',
  }),
  DEV_APPROVE: z.stringbool({ error: 'must be true or false' }).default(false).meta({
    description:
      'Whether POST /dev/approve approves sessions without a human, with the secret in the file `dev-approve-secret` of DATA_DIR; on this machine only, for tests',
  }),
  OPENID_ISSUER: address
    .optional()
    .meta({ description: 'OpenID provider that people sign in with; needs the next two' }),
  OPENID_CLIENT_ID: text.optional().meta({ description: 'Id of the service at the OpenID provider' }),
  OPENID_CLIENT_SECRET: secret.optional().meta({ description: 'Its secret there' }),
  OPENID_LABEL: text.default('OpenID').meta({ description: 'Name of the provider on its button' }),
  CODE_HOST_CLIENT_ID: text.optional().meta({
    description: 'Id of the service at a code host that people may also sign in with; needs the next one',
  }),
  CODE_HOST_CLIENT_SECRET: secret.optional().meta({ description: 'Its secret there' }),
  CODE_HOST_URL: address.default('https://github.com').meta({ description: 'Address of the code host' }),
  CODE_HOST_API_URL: address.default('https://api.github.com').meta({ description: 'API of the code host' }),
  CODE_HOST_LABEL: text.default('GitHub').meta({ description: 'Name of the code host on its button' }),
  SMTP_URL: z
    .string()
    .regex(
      /^smtps?:\/\/([\w.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/,
      'must be like smtps://smtp.example.com:465 or smtp://smtp.example.com:587; SMTP_USER and SMTP_SECRET have the user',
    )
    .optional()
    .meta({
      description:
        'Mail server that sends [codes for sign-in](sign-in.md#codes-by-e-mail): `smtps://…` speaks TLS, `smtp://…` must offer STARTTLS; needs the next one',
    }),
  SMTP_FROM: z
    .string()
    .regex(/^[^\p{Cc}@]*@[^\p{Cc}@]*$/u, 'must be one line with an e-mail address')
    .optional()
    .meta({ description: 'Sender of these e-mails, `Footfall <stats@example.com>`' }),
  SMTP_USER: text.optional().meta({ description: 'User at the mail server; needs the next one' }),
  SMTP_SECRET: secret.optional().meta({ description: 'Password of that user' }),
  STRIPE_SECRET_KEY: secret.optional().meta({
    description:
      'Key at Stripe, for payments under `hosted`; without it there is a test checkout that takes no money',
  }),
  STRIPE_WEBHOOK_SECRET: secret
    .optional()
    .meta({ description: 'Signing secret of the webhook `/webhooks/payment` at Stripe' }),
  STRIPE_PRICE: text.optional().meta({ description: 'Price of the Pro plan at Stripe, `price_…`' }),
}

/** Settings that only work together. */
export const settingGroups = [
  ['OPENID_ISSUER', 'OPENID_CLIENT_ID', 'OPENID_CLIENT_SECRET'],
  ['CODE_HOST_CLIENT_ID', 'CODE_HOST_CLIENT_SECRET'],
  ['SMTP_URL', 'SMTP_FROM'],
  ['SMTP_USER', 'SMTP_SECRET'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE'],
] as const
