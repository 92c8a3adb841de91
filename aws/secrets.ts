import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Secrets } from '#core/ports'
import { isTransient, toApiError } from '#core/state/transient'

/** The largest age of a value: after this time all processes use a rotated secret. */
const FRESH_MS = 5 * 60_000
/** How long the last value is used after a failed renewal, until the next try. */
const RETRY_MS = 10_000
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5

type CachedSecret = { value: string; expiresAt: number }

/**
 * The Secrets port on Secrets Manager, with a cache in memory. docs/decisions/2026-11-21-aws-emulators.md
 * says why it is not Parameter Store. When a transient failure prevents the renewal of a value, the last
 * value is used, so that an outage of Secrets Manager stops nobody. Sign-in will be the first user.
 */
export function createSecrets({ client, now }: { client: SecretsManagerClient; now(): number }): Secrets {
  const cache = new Map<string, CachedSecret>()
  const pendingReads = new Map<string, Promise<string>>()

  async function read(name: string): Promise<string> {
    try {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: name }))
      if (SecretString === undefined) throw new Error(`the secret ${name} has no text`)
      cache.set(name, { value: SecretString, expiresAt: now() + FRESH_MS })
      return SecretString
    } catch (error) {
      const last = cache.get(name)
      if (last === undefined || !isTransient(error))
        throw toApiError(
          error,
          'The service cannot read its secrets now. Send the same request again in a few seconds.',
          RETRY_AFTER,
        )
      last.expiresAt = now() + RETRY_MS
      return last.value
    }
  }

  return {
    get(name) {
      const last = cache.get(name)
      if (last !== undefined && now() < last.expiresAt) return Promise.resolve(last.value)
      // Callers at the same time share one read.
      const pending = pendingReads.get(name) ?? read(name).finally(() => pendingReads.delete(name))
      pendingReads.set(name, pending)
      return pending
    },
  }
}
