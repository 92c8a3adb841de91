import type { QueryExecution } from '@aws-sdk/client-athena'
import { queryFailure } from '#core/sql/query-failures'

/** AthenaError.ErrorCategory of a failure that the statement caused. */
const USER_CATEGORY = 2
/**
 * AthenaError.ErrorType (docs.aws.amazon.com/athena/latest/ug/error-reference.html): 0 to 8 are exhausted
 * resources, below 1000 Athena, the catalog or S3 failed, from 1000 on the statement or the data is wrong.
 */
const LAST_EXHAUSTED_TYPE = 8
const FIRST_USER_TYPE = 1_000
/** What services say that Athena reads from, such as S3 and the catalog, when they are asked too often. */
const THROTTLED = /slow ?down|throttl|too many requests|rate exceeded|reduce your request rate/i

/**
 * Converts a statement that did not succeed into an error. A wrong statement is our bug and a plain Error.
 * Everything else may succeed later, or for a shorter period, so it is UNAVAILABLE.
 */
export function toQueryError({ Status = {} }: QueryExecution): Error {
  const { State, StateChangeReason = '', AthenaError } = Status
  const cause = new Error(`Athena: ${State} ${StateChangeReason || AthenaError?.ErrorMessage || ''}`)
  // The workgroup's limit of bytes cancels a statement, or an operator does.
  if (State === 'CANCELLED')
    return queryFailure(/bytes scanned/i.test(StateChangeReason) ? 'bytes' : 'stopped', cause)
  const reason = `${StateChangeReason} ${AthenaError?.ErrorMessage ?? ''}`
  if (THROTTLED.test(reason)) return queryFailure('throttled', cause)
  const { ErrorCategory = USER_CATEGORY, ErrorType = FIRST_USER_TYPE, Retryable = false } = AthenaError ?? {}
  if (/exhausted resources/i.test(StateChangeReason) || ErrorType <= LAST_EXHAUSTED_TYPE)
    return queryFailure('memory', cause)
  const isEngineFailure = Retryable || ErrorType < FIRST_USER_TYPE || ErrorCategory !== USER_CATEGORY
  return isEngineFailure ? queryFailure('failed', cause) : cause
}
