import { createHmac } from 'node:crypto'

/** Turns e-mail addresses into the keyed hashes that the index stores. */
export type EmailHasher = {
  /**
   * The hash of a normalized address in a project. Throws ApiError UNAVAILABLE if the key cannot be read now.
   */
  hash(projectId: string, email: string): Promise<string>
}

/**
 * Hashes addresses by HMAC-SHA-256. Each project has a key of its own, derived from the managed key, so equal
 * addresses in two projects have different hashes. Nobody who has the state table alone can find out whether
 * it has an address.
 */
export function createEmailHasher(readKey: () => Promise<string>): EmailHasher {
  return {
    async hash(projectId, email) {
      const projectKey = createHmac('sha256', await readKey())
        .update(`email ${projectId}`)
        .digest()
      return createHmac('sha256', projectKey).update(email).digest('hex')
    },
  }
}

/** The form in which addresses are equal (docs/api/identity.md). */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}
