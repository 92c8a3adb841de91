import { ApiError } from '#core/errors'
import type { Admission } from './sliding-window.ts'

/** RATE_LIMITED with Retry-After and the X-RateLimit headers (R20). */
export function rateLimited(
  /** Names the requests in the message, such as `sign-ins of this address`. */
  things: string,
  { limit, remaining, resetAt }: Pick<Admission, 'limit' | 'remaining' | 'resetAt'>,
  now: number,
  fields: Record<string, unknown> = { reason: 'rate_limit' },
): ApiError {
  const seconds = Math.max(1, Math.ceil((resetAt - now) / 1_000))
  return new ApiError('RATE_LIMITED', `Too many ${things}. Wait ${seconds} s, then try again.`, {
    fields,
    retryAfter: seconds,
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(Math.ceil(resetAt / 1_000)),
    },
  })
}
