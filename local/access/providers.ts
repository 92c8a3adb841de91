import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IdentityProvider } from '#core/access/provider'
import {
  createEmailProvider,
  type EmailProvider,
  type EmailProviderOptions,
} from '#local/identity/email-provider'
import { createEmbeddedProvider, type EmbeddedProvider } from '#local/identity/embedded-provider'
import { createMailer } from '#local/identity/mailer'
import { signInCode, signInCodePath } from '#local/identity/sign-in-code'
import { type Settings, SettingsError } from '#local/settings'
import { createCodeHostProvider } from '#providers/code-host'
import { createOpenIdProvider, isLoopback } from '#providers/openid'
import { settingGroups } from './settings.ts'

export type OpenProviders = {
  providers: IdentityProvider[]
  /** The sign-in page of this machine; null where another provider is the default. */
  embedded: EmbeddedProvider | null
  /** Answers requests of the embedded provider and of codes by e-mail; false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

/** What codes by e-mail need, without the mail server, which the settings name. */
type CodeOptions = Omit<EmailProviderOptions, 'send'>
export type ProvidersOptions = CodeOptions & { ownerEmail: string }

/**
 * The identity providers that the settings name. Throws SettingsError for settings that do not fit together.
 */
export function openProviders(
  settings: Settings,
  { baseUrl, ownerEmail, ...mail }: ProvidersOptions,
): OpenProviders {
  refuseHalfGroups(settings)
  const embedded = embeddedProvider(settings, baseUrl, ownerEmail)
  const openId =
    embedded !== null
      ? {
          issuer: embedded.issuer,
          clientId: embedded.clientId,
          secret: embedded.clientSecret,
          label: 'this machine',
          accountPrompt: 'login' as const,
        }
      : {
          issuer: settings.OPENID_ISSUER,
          clientId: settings.OPENID_CLIENT_ID ?? '',
          secret: settings.OPENID_CLIENT_SECRET ?? '',
          label: settings.OPENID_LABEL,
          accountPrompt: 'select_account' as const,
        }
  const { CODE_HOST_CLIENT_ID: codeHostId, CODE_HOST_CLIENT_SECRET: codeHostSecret = '' } = settings
  const providers: IdentityProvider[] = []
  if (openId.issuer !== undefined) {
    const { issuer, clientId, secret, label, accountPrompt } = openId
    const clientSecret = async () => secret
    providers.push(createOpenIdProvider({ issuer, clientId, clientSecret, label, accountPrompt }))
  }
  if (codeHostId !== undefined) {
    providers.push(
      createCodeHostProvider({
        url: settings.CODE_HOST_URL,
        apiUrl: settings.CODE_HOST_API_URL,
        clientId: codeHostId,
        clientSecret: async () => codeHostSecret,
        label: settings.CODE_HOST_LABEL,
      }),
    )
  }
  const byEmail = emailProvider(settings, { baseUrl, ...mail })
  if (byEmail !== null) providers.push(byEmail)
  const serving = [byEmail, embedded].filter(each => each !== null)
  return { providers, embedded, serve: (...exchange) => serving.some(({ serve }) => serve(...exchange)) }
}

function emailProvider(
  { SMTP_URL: url, SMTP_FROM: from, SMTP_USER: user, SMTP_SECRET: password }: Settings,
  options: CodeOptions,
): EmailProvider | null {
  if (url === undefined || from === undefined) return null
  return createEmailProvider({ ...options, send: createMailer({ url, from, user, password }) })
}

function embeddedProvider(settings: Settings, baseUrl: string, email: string): EmbeddedProvider | null {
  const isOnThisMachine = isLoopback(new URL(baseUrl).hostname)
  const isWanted = settings.EMBEDDED_SIGN_IN ?? (isOnThisMachine && settings.OPENID_ISSUER === undefined)
  if (!isWanted) return null
  const { DATA_DIR } = settings
  return createEmbeddedProvider({
    baseUrl,
    code: () => signInCode(DATA_DIR),
    codePath: signInCodePath(DATA_DIR),
    email,
  })
}

function refuseHalfGroups(settings: Settings): void {
  for (const group of settingGroups) {
    const missing = group.filter(name => settings[name] === undefined)
    if (missing.length > 0 && missing.length < group.length) {
      throw new SettingsError(`${missing.join(' and ')} must be set too: ${group.join(', ')} work together.`)
    }
  }
}
