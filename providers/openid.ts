import * as client from 'openid-client'
import type { IdentityProvider, SignInSecrets } from '#core/access/provider'
import { SignInError } from '#core/access/provider'
import { remember } from '#core/async/lazily'
import { signInFailure, unreachable } from './failure.ts'

export type OpenIdOptions = {
  /** Address of the provider; its metadata is below it. */
  issuer: string
  clientId: string
  /** Read at the first sign-in. */
  clientSecret(): Promise<string>
  /** What the button says after "Continue with". */
  label: string
  /** The value of `prompt` that makes the provider ask who signs in; default `select_account`. */
  accountPrompt?: 'select_account' | 'login'
}

/** How long the provider may take for a response, s. */
const TIMEOUT_SECONDS = 10

/**
 * The default identity provider: OpenID Connect by the authorization code flow with PKCE, state and nonce.
 * The library checks the ID token (issuer, audience, times, nonce) and its signature.
 */
export function createOpenIdProvider(options: OpenIdOptions): IdentityProvider {
  // After a failure the next sign-in tries again.
  const configuration = remember(() =>
    discover(options).catch(error => {
      throw unreachable(error)
    }),
  )

  return {
    id: 'idp',
    label: options.label,

    async authorizationUrl(secrets, redirectUri, asksForAccount = false) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        ...(asksForAccount && { prompt: options.accountPrompt ?? 'select_account' }),
      })
    },

    async identify(callback, secrets) {
      const provider = await configuration()
      try {
        return await identityOf(provider, callback, secrets)
      } catch (error) {
        throw signInFailure(error)
      }
    },
  }
}

async function discover({ issuer, clientId, clientSecret }: OpenIdOptions): Promise<client.Configuration> {
  const address = new URL(issuer)
  const execute = [client.enableNonRepudiationChecks]
  // The embedded provider of one machine, and none that is further away.
  if (address.protocol === 'http:' && isLoopback(address.hostname)) execute.push(client.allowInsecureRequests)
  return client.discovery(address, clientId, await clientSecret(), undefined, {
    timeout: TIMEOUT_SECONDS,
    execute,
  })
}

async function identityOf(provider: client.Configuration, callback: URL, secrets: SignInSecrets) {
  const tokens = await client.authorizationCodeGrant(provider, callback, {
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    pkceCodeVerifier: secrets.codeVerifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new SignInError('The provider sent no identity. Start again.')
  const { sub } = claims
  // Providers may leave everything but the subject to the userinfo endpoint.
  const profile =
    claims.email === undefined ? await client.fetchUserInfo(provider, tokens.access_token, sub) : claims
  if (typeof profile.email !== 'string' || profile.email_verified !== true) {
    throw new SignInError(
      'The provider has no verified e-mail address of yours. Verify it there, then try again.',
    )
  }
  return {
    provider: 'idp' as const,
    issuer: provider.serverMetadata().issuer,
    subject: sub,
    email: profile.email.toLowerCase(),
    login: typeof profile.name === 'string' ? profile.name : null,
  }
}

/** A host name of this machine, as a URL has it. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
