import {
  PASSKEY_ALGORITHMS,
  PASSKEY_REFUSED,
  type PasskeyVerifier,
  relyingPartyOf,
} from '#core/access/passkey-verifier'
import { SignInError } from '#core/access/provider'

/** Longest public key, bytes. An RSA key of 4,096 bits has 530. */
const MAX_KEY_BYTES = 1_000
/**
 * Forms of an answer to a page that asks for no attestation. The library checks the certificates of the
 * others, and asks addresses that these name.
 */
const WITHOUT_CERTIFICATES: readonly string[] = ['none', 'packed']

/**
 * Verifies passkeys of the service at `baseUrl` by @simplewebauthn/server, which is loaded at the first one.
 * Null where browsers have no passkeys for this address.
 */
export function createPasskeyVerifier(baseUrl: string): PasskeyVerifier | null {
  const relyingParty = relyingPartyOf(baseUrl)
  if (relyingParty === null) return null
  const expected = {
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
  }
  return {
    relyingParty,

    async readNew(answer, challenge) {
      try {
        const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
          import('@simplewebauthn/server'),
          import('@simplewebauthn/server/helpers'),
        ])
        const { clientDataJSON, attestationObject, transports } = answer.response
        const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
        if (!WITHOUT_CERTIFICATES.includes(decoded.get('fmt'))) throw notAccepted()
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          expectedChallenge: challenge,
          supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
          response: {
            ...answer,
            response: { clientDataJSON, attestationObject },
            clientExtensionResults: {},
          },
        })
        if (!verified) throw notAccepted()
        const { id, publicKey, counter } = registrationInfo.credential
        if (publicKey.length > MAX_KEY_BYTES) throw notAccepted()
        return {
          credential_id: id,
          public_key: Buffer.from(publicKey).toString('base64url'),
          counter,
          transports,
        }
      } catch (error) {
        throw notAccepted(error)
      }
    },

    async readCounter(answer, challenge, { credential_id, public_key, counter }) {
      try {
        const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
        const publicKey = new Uint8Array(Buffer.from(public_key, 'base64url'))
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          expectedChallenge: challenge,
          credential: { id: credential_id, publicKey, counter },
          response: { ...answer, clientExtensionResults: {} },
        })
        if (!verified) throw notAccepted()
        return authenticationInfo.newCounter
      } catch (error) {
        throw notAccepted(error)
      }
    },
  }
}

function notAccepted(cause?: unknown): SignInError {
  return new SignInError(PASSKEY_REFUSED, cause)
}
