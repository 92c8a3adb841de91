import type { QueryExecution } from '@aws-sdk/client-athena'
import { unavailable } from '#core/errors'

/** AthenaError.ErrorCategory */
const USER = 2
/**
 * AthenaError.ErrorType (docs.aws.amazon.com/athena/latest/ug/error-reference.html): 0 to 8 are exhausted resources,
 * from 1000 on it is the statement or the data, below it Athena, the catalog or S3 behind it.
 */
const LAST_EXHAUSTED = 8
const FIRST_OF_USER = 1_000

/**
 * The error for a statement that did not succeed. A wrong statement is a defect of ours and an Error; what may succeed
 * later, or for a smaller range, is UNAVAILABLE.
 */
export function toQueryError({ Status = {} }: QueryExecution): Error {
  const { State, StateChangeReason = '', AthenaError } = Status
  const cause = new Error(`Athena: ${State} ${StateChangeReason || AthenaError?.ErrorMessage || ''}`)
  if (State === 'CANCELLED') {
    // The workgroup's limit of bytes, or an operator.
    return /bytes scanned/i.test(StateChangeReason)
      ? unavailable('The query would read more than the service allows; ask for less.', 60, cause)
      : unavailable('The query was stopped.', 10, cause)
  }
  const { ErrorCategory, ErrorType, Retryable } = AthenaError ?? {}
  if (/exhausted resources/i.test(StateChangeReason) || (ErrorType ?? FIRST_OF_USER) <= LAST_EXHAUSTED) {
    return unavailable('The query needs more memory than the engine has; ask for less.', 30, cause)
  }
  if (Retryable === true || (ErrorType !== undefined && ErrorType < FIRST_OF_USER)) {
    return unavailable('The query engine has failed.', 10, cause)
  }
  if (ErrorCategory !== undefined && ErrorCategory !== USER) {
    return unavailable('The query engine has failed.', 10, cause)
  }
  return cause
}
