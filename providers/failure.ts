import { AuthorizationResponseError } from 'openid-client'
import { SignInError } from '#core/access/provider'
import { ApiError, unavailable } from '#core/errors'

/** What a failed exchange with a provider means for the person who signs in. */
export function signInFailure(error: unknown): Error {
  if (error instanceof SignInError || error instanceof ApiError) return error
  if (error instanceof AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? new SignInError('You did not allow the sign-in. Start again when you want to.', error)
      : new SignInError('The provider refused the sign-in. Start again.', error)
  }
  if (isNetworkFailure(error)) return unreachable(error)
  // Wrong state, nonce, issuer, signature or code: an attack, or an old tab.
  return new SignInError('The response of the provider does not belong to this sign-in. Start again.', error)
}

/** The provider cannot be reached now. */
export function unreachable(cause: unknown): ApiError {
  return unavailable('The identity provider cannot be reached now. Try again in a moment.', 5, cause)
}

function isNetworkFailure(error: unknown): boolean {
  const { name, code, cause } = error as Error & { code?: string }
  if (name === 'TimeoutError' || code === 'OAUTH_TIMEOUT') return true
  // What fetch throws when there is no response.
  if (error instanceof TypeError && error.message === 'fetch failed') return true
  return cause instanceof Response && cause.status >= 500
}
