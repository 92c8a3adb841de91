import { type ErrorCode, errorCodes } from '#schemas/errors'

/** The parts of an error response beside `error` and `message`. */
export type ErrorExtras = {
  /** More fields of the response's body, e.g. `required_scope`. Never secrets. */
  fields?: Record<string, unknown>
  /** Seconds for the Retry-After header. */
  retryAfter?: number
  /** More headers of the response. */
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * The only error whose text callers see: a code of schemas/errors.ts and a message that tells them what to do. Any other
 * exception is our bug and becomes INTERNAL_ERROR without its text.
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

/** Makes the error for a request that a later try may serve: a full disk, a throttled shard, a busy engine. */
export function unavailable(message: string, retryAfter: number, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter, cause })
}
