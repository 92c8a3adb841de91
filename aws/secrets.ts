import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Secrets } from '#core/ports'
import { mapped } from './fault.ts'

/** How old a value may be: a rotated secret is used everywhere within this time. */
const FRESH_MS = 5 * 60_000
/** How long after a failed renewal the known value stands before the next is tried. */
const RETRY_MS = 10_000
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5

type Known = { value: string; until: number }

/**
 * Secrets of Secrets Manager, kept in memory for minutes (docs/decisions/2026-11-21-aws-emulators.md tells why not in
 * Parameter Store). A value that is known goes on when it cannot be renewed now, so that an outage there stops nobody.
 * Sign-in will be the first to ask for one.
 */
export function createSecrets({ client, now }: { client: SecretsManagerClient; now(): number }): Secrets {
  const known = new Map<string, Known>()
  const asked = new Map<string, Promise<string>>()

  async function ask(name: string): Promise<string> {
    try {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: name }))
      if (SecretString === undefined) throw new Error(`the secret ${name} has no text`)
      known.set(name, { value: SecretString, until: now() + FRESH_MS })
      return SecretString
    } catch (error) {
      const last = known.get(name)
      const fault = mapped(error, 'A secret of the service cannot be read now.', RETRY_AFTER)
      if (last === undefined || fault === error) throw fault
      last.until = now() + RETRY_MS
      return last.value
    }
  }

  return {
    get(name) {
      const last = known.get(name)
      if (last !== undefined && now() < last.until) return Promise.resolve(last.value)
      // Callers that come together ask once.
      const pending = asked.get(name) ?? ask(name).finally(() => asked.delete(name))
      asked.set(name, pending)
      return pending
    },
  }
}
