import { ApiError, type LimitExtras } from '#core/errors'
import { limitHeaders } from './limit-state.ts'
import type { Admission } from './sliding-window.ts'

type Reached = Pick<Admission, 'limit' | 'remaining' | 'resetAt'>

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
