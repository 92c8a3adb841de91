import { type ErrorCode, errorCodes } from '#schemas/errors'

/** What else an error answer may carry, beside `error` and `message`. */
export type ErrorExtras = {
  /** Further fields of the answer's body, e.g. `required_scope`. Never secrets. */
  fields?: Record<string, unknown>
  /** Seconds for the Retry-After header. */
  retryAfter?: number
  /** Further answer headers. */
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * The one error that callers are told about: a code of schemas/errors.ts and a message for them.
 * Any other exception is our fault and becomes INTERNAL_ERROR without its text.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, message: string = errorCodes[code].hint, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ApiError'
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}

/** The stream, the lake or the engine cannot do it now (full disk, throttled shard, busy engine): try again. */
export function unavailable(message: string, retryAfter: number, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter, cause })
}
