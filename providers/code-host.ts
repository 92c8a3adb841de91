import * as client from 'openid-client'
import * as z from 'zod'
import { type IdentityProvider, SignInError } from '#core/access/provider'
import { signInFailure } from './failure.ts'

export type CodeHostOptions = {
  /** Address of the host, such as https://github.com. */
  url: string
  /** Address of its API, such as https://api.github.com. */
  apiUrl: string
  clientId: string
  /** Read at the first sign-in. */
  clientSecret(): Promise<string>
  /** What the button says after "Continue with". */
  label: string
}

/** How long the host may take for a response, s. */
const TIMEOUT_SECONDS = 10

const userSchema = z.object({ id: z.number(), login: z.string() })
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/**
 * The second identity provider: the OAuth of a code host that speaks GitHub's dialect (github.com, GitHub
 * Enterprise). It has no ID token; its API tells who the person is.
 */
export function createCodeHostProvider(options: CodeHostOptions): IdentityProvider {
  const { url, apiUrl, clientId, clientSecret, label } = options
  const server = {
    issuer: url,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }

  async function configuration(): Promise<client.Configuration> {
    const config = new client.Configuration(server, clientId, await clientSecret())
    config.timeout = TIMEOUT_SECONDS
    if (url.startsWith('http://127.0.0.1:')) client.allowInsecureRequests(config)
    return config
  }

  async function ask(config: client.Configuration, token: string, path: string): Promise<unknown> {
    const headers = new Headers({ Accept: 'application/vnd.github+json' })
    const address = new URL(`${apiUrl}${path}`)
    const response = await client.fetchProtectedResource(config, token, address, 'GET', null, headers)
    if (!response.ok) throw new Error(`the code host answers ${response.status}`, { cause: response })
    return response.json()
  }

  return {
    id: 'code_host',
    label,

    async authorizationUrl(secrets, redirectUri, asksForAccount = false) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state: secrets.state,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        ...(asksForAccount && { prompt: 'select_account' }),
      })
    },

    async identify(callback, secrets) {
      const config = await configuration()
      try {
        const { access_token } = await client.authorizationCodeGrant(config, callback, {
          expectedState: secrets.state,
          pkceCodeVerifier: secrets.codeVerifier,
        })
        const user = userSchema.parse(await ask(config, access_token, '/user'))
        const emails = emailsSchema.parse(await ask(config, access_token, '/user/emails'))
        const email = emails.find(entry => entry.primary && entry.verified)?.email
        if (email === undefined) {
          throw new SignInError(
            'The code host has no verified primary e-mail address of yours. Verify it there, then try again.',
          )
        }
        const identity = {
          issuer: url,
          subject: String(user.id),
          email: email.toLowerCase(),
          login: user.login,
        }
        return { provider: 'code_host', ...identity }
      } catch (error) {
        throw signInFailure(error)
      }
    },
  }
}
