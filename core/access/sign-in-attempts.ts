import { createHmac, randomBytes } from 'node:crypto'
import type { Now } from '#core/ports'
import { sha256 } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import type { SignInSecrets } from './provider.ts'

/** How long a person may take at the provider's page, s. */
export const ATTEMPT_SECONDS = 15 * 60
/** The form of an attempt's token; another text is unknown without asking the table. */
const TOKEN = /^[\w-]{43}$/

export type SignInAttempt = {
  /** The id of an identity provider, or `passkey`. */
  provider: string
  /** The path of ours that the browser goes to afterwards. */
  return_to: string
  /** The account that gets the identity: a signed-in person adds another way to sign in. */
  link_account_id?: string | undefined
}

/**
 * Sign-ins that are under way. The browser keeps a random token in a cookie; state, nonce and PKCE verifier
 * are derived from it, so that a response of the provider is only good in the browser that began the sign-in.
 * The state table keeps the SHA-256 of the token, and each attempt ends once.
 */
export function createSignInAttempts({ client, table, clock }: StateTable & { clock: Now }) {
  const attempts = attemptEntity({ client, table })

  async function begin(
    attempt: SignInAttempt,
    lifeSeconds = ATTEMPT_SECONDS,
  ): Promise<{ token: string; secrets: SignInSecrets }> {
    const token = randomBytes(32).toString('base64url')
    const expires_at = Math.floor(clock.now() / 1_000) + lifeSeconds
    await orUnavailable(attempts.put({ hash: sha256(token), ...attempt, expires_at }).go())
    return { token, secrets: secretsOf(token) }
  }

  /** The attempt of a cookie, which is over then; null for an unknown, finished or expired one. */
  async function end(token: string): Promise<{ attempt: SignInAttempt; secrets: SignInSecrets } | null> {
    if (!TOKEN.test(token)) return null
    const { data } = await orUnavailable(attempts.delete({ hash: sha256(token) }).go({ response: 'all_old' }))
    const attempt = data as (SignInAttempt & { expires_at: number }) | null
    if (attempt?.provider === undefined || attempt.expires_at * 1_000 <= clock.now()) return null
    const { provider, return_to, link_account_id } = attempt
    return { attempt: { provider, return_to, link_account_id }, secrets: secretsOf(token) }
  }

  return { begin, end }
}

export type SignInAttempts = ReturnType<typeof createSignInAttempts>

function secretsOf(token: string): SignInSecrets {
  const derived = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url')
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('code verifier') }
}

function attemptEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'signinattempt', version: '1' },
      attributes: {
        hash: { type: 'string', required: true },
        provider: { type: 'string', required: true },
        return_to: { type: 'string', required: true },
        link_account_id: { type: 'string' },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client, table },
  )
}
