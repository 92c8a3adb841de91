import { createHash } from 'node:crypto'
import { ApiError } from '#core/errors'
import { isSame } from '#core/secrets/tokens'

/**
 * Whether the challenge was made of the verifier: by its SHA-256, in hex as the reference client sends it, or
 * in base64url (RFC 7636).
 */
export function isVerifier(challenge: string, verifier = ''): boolean {
  const hash = createHash('sha256').update(verifier).digest()
  return isSame(challenge.length === 64 ? hash.toString('hex') : hash.toString('base64url'), challenge)
}

/** Checks the verifier of a request that has a challenge. Throws INVALID_CODE_VERIFIER. */
export function checkVerifier(challenge: string | undefined, verifier?: string): void {
  if (challenge === undefined || isVerifier(challenge, verifier)) return
  throw new ApiError(
    'INVALID_CODE_VERIFIER',
    'The code verifier does not match the code challenge. Send the one that the challenge was made of.',
  )
}
