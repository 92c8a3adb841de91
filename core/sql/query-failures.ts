import { ApiError } from '#core/errors'
import type { ErrorCode } from '#schemas/errors'

/**
 * What a caller is told when the query engine gives no rows. Athena and DuckDB share it. `retryAfter` is in
 * seconds.
 */
const failures = {
  throttled: {
    code: 'UNAVAILABLE',
    message:
      'The query engine starts no more queries now. Send the same request again after Retry-After seconds.',
    retryAfter: 2,
  },
  busy: {
    code: 'UNAVAILABLE',
    message: 'The query engine is busy. Send the same request again after Retry-After seconds.',
    retryAfter: 5,
  },
  guests: {
    code: 'UNAVAILABLE',
    message:
      'Reads of accounts come first, and too many reads of share links and of the demo wait behind them. Send the same request again after Retry-After seconds.',
    retryAfter: 5,
  },
  unreachable: {
    code: 'UNAVAILABLE',
    message: 'The query engine cannot be reached now. Send the same request again after Retry-After seconds.',
    retryAfter: 5,
  },
  failed: {
    code: 'UNAVAILABLE',
    message: 'The query engine has failed. Send the same request again after Retry-After seconds.',
    retryAfter: 10,
  },
  stopped: {
    code: 'UNAVAILABLE',
    message: 'An operator has stopped the query. Send the same request again after Retry-After seconds.',
    retryAfter: 10,
  },
  refused: {
    code: 'UNAVAILABLE',
    message:
      'The operating system does not let the query engine read the lake now. Send the same request again after Retry-After seconds.',
    retryAfter: 10,
  },
  timeout: {
    code: 'UNAVAILABLE',
    message: 'The query took too long. Ask for a shorter period.',
    retryAfter: 10,
  },
  memory: {
    code: 'UNAVAILABLE',
    message: 'The query needs more memory than the engine has. Ask for a shorter period.',
    retryAfter: 30,
  },
  bytes: {
    code: 'UNAVAILABLE',
    message: 'The query would read more data than the service allows. Ask for a shorter period.',
    retryAfter: 60,
  },
  answer: {
    code: 'UNAVAILABLE',
    message:
      'The answer would have more rows or longer texts than the service reads at once. Ask for a shorter period or a lower `limit`.',
    retryAfter: 60,
  },
  files: {
    code: 'UNAVAILABLE',
    message: 'The query would read too many files. Ask for a shorter period.',
    retryAfter: 60,
  },
  damaged: {
    code: 'UNAVAILABLE',
    message:
      'A file of the lake is damaged. Ask the operator to look for the file in the log of the service.',
    retryAfter: 60,
  },
  stopping: {
    code: 'UNAVAILABLE',
    message: 'The service is stopping. Send the same request again after Retry-After seconds.',
    retryAfter: 5,
  },
} as const satisfies Record<string, { code: ErrorCode; message: string; retryAfter: number }>

/** Makes the error for a query that gave no rows. A later try, or a query of less data, may succeed. */
export function queryFailure(kind: keyof typeof failures, cause?: unknown): ApiError {
  const { code, message, retryAfter } = failures[kind]
  return new ApiError(code, message, { retryAfter, cause })
}

/** Messages of failures that a smaller statement may avoid. */
const TOO_MUCH: readonly string[] = (['memory', 'bytes', 'answer', 'files'] as const).map(
  kind => failures[kind].message,
)

/** Whether a statement failed because it was too much at once, so that its parts may succeed. */
export function isTooMuchAtOnce({ message }: ApiError): boolean {
  return TOO_MUCH.includes(message)
}
