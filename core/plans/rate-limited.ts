import { ApiError, type LimitExtras, type LimitHeaders } from '#core/errors'

type Reached = { limit: number; remaining: number /** Unix ms. */; resetAt: number }

/** RATE_LIMITED with Retry-After and the X-RateLimit headers (R20). */
export function rateLimited(
  /** Names the requests in the message, such as `sign-ins of this address`. */
  things: string,
  reached: Reached,
  now: number,
  fields: Record<string, unknown> = { reason: 'rate_limit' },
): ApiError {
  const extras = limitExtras(reached, now, fields)
  return new ApiError(
    'RATE_LIMITED',
    `Too many ${things}. Wait ${extras.retryAfter} s, then try again.`,
    extras,
  )
}

/** What each RATE_LIMITED has beside its message (R20). */
export function limitExtras(
  { limit, remaining, resetAt }: Reached,
  now: number,
  fields: Record<string, unknown>,
): LimitExtras {
  return {
    fields,
    retryAfter: Math.max(1, Math.ceil((resetAt - now) / 1_000)),
    headers: limitHeaders({ limit, remaining, resetsAt: resetAt }),
  }
}

/**
 * Returns the response headers that show the state of a limit (R20). `resetsAt` is in Unix ms. The header has
 * the same time in Unix seconds.
 */
export function limitHeaders({
  limit,
  remaining,
  resetsAt,
}: {
  limit: number
  remaining: number
  resetsAt: number
}): LimitHeaders {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetsAt / 1000)),
  }
}
