import { ApiError } from '#core/errors'

/** The error of a secret that opens nothing. It does not say why: only its holder could know it was good. */
export function viewerGone(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'This address of the viewer is not good any more: it has expired, or the replay or the session that opened it is gone. Open the replay again.',
  )
}
