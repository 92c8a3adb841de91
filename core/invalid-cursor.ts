import { ApiError } from './errors.ts'

/** The error for a `before` that is not the `next_before` of a page. */
export function invalidCursor(): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    "Parameter `before` is not a cursor. Send the previous response's `next_before`, unchanged.",
  )
}
