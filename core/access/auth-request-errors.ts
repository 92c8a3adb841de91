import { ApiError } from '#core/errors'

/** The errors of auth requests and claims (docs/api/agent-sessions.md, docs/api/discovery.md). */
export const authRequestErrors = {
  unknown: () =>
    new ApiError('NOT_FOUND', 'There is no such auth request. Start one with POST /agent-sessions/start.'),
  unknownClaim: () => new ApiError('NOT_FOUND', 'There is no such claim. Start one with POST /agent/auth.'),
  wrongPollToken: () =>
    new ApiError(
      'INVALID_POLL_TOKEN',
      'The poll token does not belong to this auth request. Send the one that its start returned.',
    ),
  wrongCode: () =>
    new ApiError(
      'INVALID_EXCHANGE_CODE',
      'The exchange code does not belong to this auth request. Send the code of this one.',
    ),
  alreadyDecided: () =>
    new ApiError(
      'INVALID_STATE',
      'Somebody has already decided the auth request. Start another one to change that.',
    ),
  notReady: () => new ApiError('INVALID_STATE', 'auth request is not ready'),
  denied: () =>
    new ApiError(
      'AUTH_REQUEST_REVOKED',
      'The human denied the auth request. Start another one only if they ask for it.',
    ),
  expired: () => new ApiError('AUTH_REQUEST_EXPIRED', 'The auth request has expired. Start another one.'),
  alreadyExchanged: () => new ApiError('AUTH_REQUEST_ALREADY_EXCHANGED', 'auth request already exchanged'),
  otherClient: () =>
    new ApiError(
      'INVALID_EXCHANGE_CODE',
      'The code belongs to another client or another `redirect_uri`. Send those of its authorization request.',
    ),
  otherResource: () =>
    new ApiError('invalid_target', 'Send the `resource` of the authorization request, or leave it out.'),
  claimPending: () =>
    new ApiError('AUTHORIZATION_PENDING', 'The human has not approved the claim yet. Ask again later.'),
  claimDenied: () =>
    new ApiError('ACCESS_DENIED', 'The human denied the claim. Start another one only if they ask for it.'),
  claimExpired: () => new ApiError('CLAIM_EXPIRED', 'The claim has expired. Start another one.'),
  alreadyCompleted: () =>
    new ApiError(
      'CLAIM_ALREADY_COMPLETED',
      'The claim is already completed. Use its session, or start another claim.',
    ),
}
