import { createHash } from 'node:crypto'
import { ApiError } from '#core/errors'
import { isSame } from './tokens.ts'

/**
 * Checks the verifier of a request that has a challenge: its SHA-256, in hex as the reference client sends
 * it, or in base64url (RFC 7636). Throws INVALID_CODE_VERIFIER.
 */
export function checkVerifier(challenge: string | undefined, verifier = ''): void {
  if (challenge === undefined) return
  const hash = createHash('sha256').update(verifier).digest()
  const expected = challenge.length === 64 ? hash.toString('hex') : hash.toString('base64url')
  if (!isSame(expected, challenge)) {
    throw new ApiError(
      'INVALID_CODE_VERIFIER',
      'The code verifier does not match the code challenge. Send the one that the challenge was made of.',
    )
  }
}
