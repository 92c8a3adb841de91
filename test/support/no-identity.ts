import type { IdentityStore } from '#core/identity/identity-store'
import type { EmailHasher } from '#core/ingest/email-hash'

/** An identity store for tests without identify requests. */
export const noIdentity: Pick<IdentityStore, 'repairLinks' | 'repairTraits'> = {
  repairLinks: async () => {},
  repairTraits: async () => {},
}

/** Hashes that a test can read: `hash of ada@example.com in proj_1`. */
export const readableEmails: EmailHasher = {
  hash: async (projectId, email) => `hash of ${email} in ${projectId}`,
}
