import type { Row } from '#core/ports'
import { queryFailure } from './query-failures.ts'

/**
 * The largest answer of a statement. Every report limits its rows in SQL, so none comes near these numbers
 * with the data of a site. They hold whatever strangers send: names of 8 KB, a hundred thousand of them.
 */
export const MAX_ANSWER_ROWS = 100_000
/** Characters of texts, and 8 for each other value. */
export const MAX_ANSWER_BYTES = 64_000_000

export type AnswerLimits = { rows: number; bytes: number }
export const ANSWER_LIMITS: AnswerLimits = { rows: MAX_ANSWER_ROWS, bytes: MAX_ANSWER_BYTES }

const VALUE_BYTES = 8

/**
 * Counts the rows of one answer. Throws UNAVAILABLE when they are too many or too large, so an engine reads
 * no further.
 */
export function createAnswerMeter(limits: AnswerLimits): (row: Row) => void {
  let [rows, bytes] = [0, 0]
  return row => {
    rows++
    for (const name in row) {
      const value = row[name]
      bytes += typeof value === 'string' ? value.length : VALUE_BYTES
    }
    if (rows > limits.rows || bytes > limits.bytes) throw queryFailure('answer')
  }
}
