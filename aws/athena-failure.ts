import type { QueryExecution } from '@aws-sdk/client-athena'
import { ApiError } from '#core/errors'
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
 * Trino plans at most 150 stages, each about a scan or a join. Sets of sessions and people that stand inside
 * each other reach that, in a funnel with a breakdown by source first.
 */
const TOO_MANY_STAGES = /number of stages/i

/**
 * Converts a statement that did not succeed into an error. A wrong statement is our bug and a plain Error.
 * Everything else may succeed later, or for a shorter period, so it is UNAVAILABLE, but for a question that
 * the engine cannot plan at all: QUERY_FAILED.
 */
export function toQueryError({ Status = {} }: QueryExecution): Error {
  const { State, StateChangeReason = '', AthenaError } = Status
  const cause = new Error(`Athena: ${State} ${StateChangeReason || AthenaError?.ErrorMessage || ''}`)
  // The workgroup's limit of bytes cancels a statement, or an operator does.
  if (State === 'CANCELLED')
    return queryFailure(/bytes scanned/i.test(StateChangeReason) ? 'bytes' : 'stopped', cause)
  const reason = `${StateChangeReason} ${AthenaError?.ErrorMessage ?? ''}`
  if (TOO_MANY_STAGES.test(reason))
    return new ApiError(
      'QUERY_FAILED',
      'The conditions need more steps than the query engine takes. Use fewer `session`, `person` and `did` inside each other, or leave out the breakdown.',
      { cause },
    )
  if (THROTTLED.test(reason)) return queryFailure('throttled', cause)
  const { ErrorCategory = USER_CATEGORY, ErrorType = FIRST_USER_TYPE, Retryable = false } = AthenaError ?? {}
  if (/exhausted resources/i.test(StateChangeReason) || ErrorType <= LAST_EXHAUSTED_TYPE)
    return queryFailure('memory', cause)
  const isEngineFailure = Retryable || ErrorType < FIRST_USER_TYPE || ErrorCategory !== USER_CATEGORY
  return isEngineFailure ? queryFailure('failed', cause) : cause
}
