import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { isSame } from '#core/secrets/tokens'
import { html } from '#lambdas/http/html'
import type { BufferedResponse } from '#lambdas/http/http'
import { pageResponse } from '#lambdas/http/page'
import { SettingsError } from '#local/settings'
import { isLoopback } from '#providers/openid'
import { emailOf, expiredPage, readForm, sendPage } from './forms.ts'
import { MemoryAdapter } from './memory-adapter.ts'

export type EmbeddedProviderOptions = {
  /** Address of the service. */
  baseUrl: string
  /** The code that a person types; read at each sign-in. */
  code(): string
  /** Where the person finds the code. */
  codePath: string
  /** What the e-mail field holds at first. */
  email: string
}

export type EmbeddedProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Answers requests below /identity/; false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

const MOUNT = '/identity'
const PAGE = /^\/identity\/sign-in\/[\w-]{1,64}$/
/** Wrong codes in a row, after which the process takes no more for a while. */
const MAX_FAILURES = 20
const LOCK_MS = 10 * 60_000

/**
 * An OpenID provider inside the service, so that one machine signs people in by the same code path with no
 * outside account. Its sign-in page asks for an e-mail address and for the code of the data folder. Throws
 * SettingsError when other machines could reach it: it trusts whoever has the code.
 */
export function createEmbeddedProvider(options: EmbeddedProviderOptions): EmbeddedProvider {
  const { baseUrl } = options
  if (!isLoopback(new URL(baseUrl).hostname)) {
    throw new SettingsError(
      'EMBEDDED_SIGN_IN is for BASE_URL on this machine only; set OPENID_ISSUER to a provider of yours instead.',
    )
  }
  const issuer = `${baseUrl}${MOUNT}`
  const clientSecret = randomBytes(32).toString('hex')
  let opened: Promise<Provider> | null = null
  const guard = createGuard()

  function open(): Promise<Provider> {
    // Loaded at the first sign-in: most starts of the service see none.
    opened ??= openProvider(issuer, `${baseUrl}/auth/callback/idp`, clientSecret)
    return opened
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = await open()
    const path = (request.url ?? '').split('?', 1)[0] as string
    if (!PAGE.test(path)) {
      // The library reads its mount path from what is missing here.
      const mounted = request as IncomingMessage & { originalUrl?: string }
      mounted.originalUrl = request.url ?? ''
      request.url = mounted.originalUrl.slice(MOUNT.length)
      request.headers.cookie = withoutSession(request.headers.cookie ?? '')
      await provider.callback()(request, response)
      return
    }
    await provider.interactionDetails(request, response)
    if (request.method !== 'POST') {
      // The page names the file of the code, so the file must be there.
      options.code()
      sendPage(response, signInPage(options, options.email, null))
      return
    }
    const fields = await readForm(request)
    const email = emailOf(fields)
    const problem = guard(email !== null, () =>
      isSame(plain(fields.get('code') ?? ''), plain(options.code())),
    )
    if (email === null || problem !== null) {
      sendPage(response, signInPage(options, fields.get('email') ?? '', problem))
      return
    }
    const login = { accountId: email, remember: false }
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
  }

  return {
    issuer,
    clientId: 'footfall',
    clientSecret,
    serve(request, response) {
      if (!(request.url ?? '').startsWith(`${MOUNT}/`)) return false
      answer(request, response).catch(() => {
        if (response.headersSent) response.destroy()
        else sendPage(response, expiredPage())
      })
      return true
    },
  }
}

async function openProvider(issuer: string, redirectUri: string, clientSecret: string): Promise<Provider> {
  const { default: OidcProvider } = await import('oidc-provider')
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const provider = new OidcProvider(issuer, {
    adapter: MemoryAdapter,
    clients: [
      {
        client_id: 'footfall',
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...key, alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // The e-mail address then stands in the ID token itself.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_, interaction) => `${MOUNT}/sign-in/${interaction.uid}` },
    findAccount: (_, email) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: true }),
    }),
    // The service asks for its own sign-in only: there is nothing more to consent to.
    async loadExistingGrant(context) {
      const { client, session, provider } = context.oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    // A session only lasts until its code is exchanged.
    ttl: { Session: 60, Interaction: 900, Grant: 900, AccessToken: 300, AuthorizationCode: 60, IdToken: 300 },
  })
  return provider
}

/**
 * Every sign-in asks who it is. If the library knew the person of the last minute, it would return them
 * without a question, and would show a page of its own before another person.
 */
function withoutSession(cookies: string): string {
  return cookies
    .split(/; */)
    .filter(cookie => !cookie.startsWith('_session'))
    .join('; ')
}

/** Checks a code; says what is wrong. Stops taking codes for a while after many wrong ones. */
function createGuard() {
  let failures = 0
  let lockedUntil = 0
  return (isEmail: boolean, isRight: () => boolean): string | null => {
    if (!isEmail) return 'Type an e-mail address.'
    if (Date.now() < lockedUntil) return 'Too many wrong codes. Try again in 10 minutes.'
    if (isRight()) {
      failures = 0
      return null
    }
    failures += 1
    if (failures >= MAX_FAILURES) {
      failures = 0
      lockedUntil = Date.now() + LOCK_MS
    }
    return 'This is not the sign-in code.'
  }
}

/** A code as people type it: case, blanks and dashes do not matter. */
function plain(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase()
}

function signInPage(
  { codePath }: EmbeddedProviderOptions,
  email: string,
  problem: string | null,
): BufferedResponse {
  return pageResponse({
    status: problem === null ? 200 : 400,
    title: 'Sign in on this machine',
    body: html`<section>
<h1>Sign in on this machine</h1>
${problem !== null && html`<p class="note bad" role="alert">${problem}</p>`}
<form method="post">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="code">Sign-in code</label>
<input id="code" name="code" autocomplete="current-password" spellcheck="false" required autofocus>
<button>Sign in</button>
</form>
<p class="quiet">The code stands in the file <code>${codePath}</code>.</p>
</section>`,
  })
}
