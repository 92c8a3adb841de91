import { ApiError, unavailable } from '#core/errors'

/** What the SDK tells of a failed request, beside its message. */
type ServiceError = Error & {
  $fault?: 'client' | 'server'
  $retryable?: { throttling?: boolean }
  $metadata?: { httpStatusCode?: number }
  code?: string
}

/** Names that services of AWS give to "slow down"; each has its own. */
const THROTTLED =
  /^(ProvisionedThroughputExceeded|LimitExceeded|Throttl\w+|TooManyRequests|SlowDown|RequestLimitExceeded|RequestThrottled|KMSThrottling)(Exception)?$/

/**
 * Credentials of a role are renewed while the process runs; a request that was signed just before is refused. The
 * next one is signed anew.
 */
const EXPIRED = /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/

/** The way to the service, not the service. AbortError is the end of a deadline that the adapter has set itself. */
const CONNECTION =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|TimeoutError|AbortError|RequestTimeout)$/

/** Whether the service told us to slow down. */
export function isThrottled(error: unknown): boolean {
  const { name, $retryable } = error as ServiceError
  return THROTTLED.test(name) || $retryable?.throttling === true
}

/** Whether the same request may succeed later: throttling, a fault of the service or of the way to it. */
export function passes(error: unknown): boolean {
  const { name, code, $fault, $metadata } = error as ServiceError
  return (
    isThrottled(error) ||
    $fault === 'server' ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    EXPIRED.test(name) ||
    CONNECTION.test(name) ||
    CONNECTION.test(code ?? '')
  )
}

/** What callers are told of a failed request: UNAVAILABLE where it passes; a refusal is a defect of ours and stays. */
export function mapped(error: unknown, message: string, retryAfter: number): unknown {
  if (error instanceof ApiError) return error
  return passes(error) ? unavailable(message, retryAfter, error) : error
}
