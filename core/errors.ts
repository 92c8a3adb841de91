import { hideSecrets, withoutSecrets } from '#core/text/hide-secrets'
import { type ErrorCode, errorCodes } from '#schemas/errors'

/** The parts of an error response beside `error` and `message`. */
export type ErrorExtras = {
  /** More fields of the response's body, e.g. `required_scope`. */
  fields?: Record<string, unknown>
  /** Seconds for the Retry-After header. */
  retryAfter?: number
  /** More headers of the response. */
  headers?: Record<string, string>
  cause?: unknown
}

/** The state of a limit in the headers of a response (R20). */
export type LimitHeaders = Record<'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset', string>
/** Codes of a limit that is reached: each answer with one has these headers. */
type Limited = 'RATE_LIMITED' | 'SCAN_BUSY'
/** An error without them has no such code. */
export type LimitExtras = ErrorExtras & { retryAfter: number; headers: LimitHeaders }

/**
 * The only error whose text callers see: a code of schemas/errors.ts and a message that tells them what to
 * do. Any other exception is our bug and becomes INTERNAL_ERROR without its text. Message and fields never
 * hold a secret, because a caller may have sent one where a name belongs.
 */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: Limited, message: string, extras: LimitExtras)
  constructor(code: [Code] extends [Limited] ? never : Code, message?: string, extras?: ErrorExtras)
  constructor(code: ErrorCode, message: string = errorCodes[code].hint, extras: ErrorExtras = {}) {
    super(hideSecrets(message), { cause: extras.cause })
    this.name = 'ApiError'
    this.code = code
    this.extras = extras.fields === undefined ? extras : { ...extras, fields: withoutSecrets(extras.fields) }
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}

/**
 * Makes the error for a request that a later try may serve: a full disk, a throttled shard, a busy engine.
 */
export function unavailable(message: string, retryAfter: number, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter, cause })
}

/** The error for a `before` that is not the `next_before` of a page. */
export function invalidCursor(): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    "Parameter `before` is not a cursor. Send the previous response's `next_before`, unchanged.",
  )
}

/**
 * The text of an error for the log, with that of its cause: the system's reason, which is no caller's
 * business.
 */
export function errorText(error: unknown): string {
  const { cause } = error instanceof ApiError ? error.extras : { cause: undefined }
  return cause === undefined ? String(error) : `${error} (${cause})`
}
