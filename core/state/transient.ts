import { ApiError, unavailable } from '#core/errors'

/**
 * Tells transient failures from our bugs, for the state table, the services of AWS and the query engine. A
 * transient failure may be gone at the next try: the caller gets 503. A rejected request is our bug and stays
 * the error it is.
 */

/** The fields that tell what kind of failure an error is. The AWS SDK and Node's sockets set them. */
type RequestError = {
  name?: string
  code?: string
  $fault?: 'client' | 'server'
  $retryable?: { throttling?: boolean }
  $metadata?: { httpStatusCode?: number }
}

/** The names of "slow down". Each AWS service has its own. */
const THROTTLED =
  /^(ProvisionedThroughputExceeded|LimitExceeded|Throttl\w+|TooManyRequests|SlowDown|RequestLimitExceeded|RequestThrottled|KMSThrottling)(Exception)?$/

/**
 * The credentials of a role are renewed while the process runs. A request that was signed just before is
 * rejected; the next one is signed with the new credentials.
 */
const EXPIRED = /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/

/** Names and codes of network failures. AbortError is the end of a deadline that an adapter set itself. */
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError|AbortError|RequestTimeout)$/

/** Returns whether a service told us to slow down. */
export function isThrottled(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'RATE_LIMITED'
  const { name = '', $retryable } = requestErrorOf(error)
  return THROTTLED.test(name) || $retryable?.throttling === true
}

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (isThrottled(error)) return true
  if (error instanceof ApiError) return error.code === 'UNAVAILABLE'
  const { name = '', code = '', $fault, $metadata } = requestErrorOf(error)
  return (
    $fault === 'server' ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    EXPIRED.test(name) ||
    NETWORK.test(name) ||
    NETWORK.test(code)
  )
}

/**
 * Converts a transient failure into UNAVAILABLE with the message. An ApiError and any other error stay as
 * they are.
 */
export function toApiError(error: unknown, message: string, retryAfterSeconds: number): unknown {
  if (error instanceof ApiError || !isTransient(error)) return error
  return unavailable(message, retryAfterSeconds, error)
}

/** Returns the error of the request itself: ElectroDB wraps the SDK's error as the cause of its own. */
export function requestErrorOf(error: unknown): RequestError {
  const { isElectroError, cause } = Object(error) as { isElectroError?: boolean; cause?: unknown }
  return isElectroError && cause instanceof Error ? cause : Object(error)
}
