import type { CDPSession, Page } from 'playwright-core'

/** A passkey as Chromium gives it away, with its private key. */
export type StoredPasskey = {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string | undefined
  privateKey: string
  userHandle?: string | undefined
  signCount: number
}

/**
 * Gives a page an authenticator that verifies its person, as a phone or a security key does. `passkeys`:
 * those that it has from another page.
 */
export async function addAuthenticator(page: Page, passkeys: readonly StoredPasskey[] = []) {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  for (const credential of passkeys)
    await session.send('WebAuthn.addCredential', { authenticatorId, credential })
  return {
    async passkeys(): Promise<StoredPasskey[]> {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials
    },
    /** Whether the person shows a finger or types the PIN. */
    async verifyPerson(isUserVerified: boolean): Promise<void> {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}
