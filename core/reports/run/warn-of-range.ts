import { warnOf } from './caveats.ts'
import type { ReadNotes } from './notes.ts'

type Dates = { from: string }

/** The dates that a response says, whatever the report. */
type DatedBody = {
  period?: unknown
  range?: Dates
  current_period?: Dates
  previous_period?: Dates
  previous?: { period: Dates }
}

/**
 * Says that the range of a response, or the one that it is compared with, begins before the first event (U67,
 * U68).
 * `dataFrom`: the date of that.
 */
export function warnOfRange(body: DatedBody, dataFrom: string | null, notes: ReadNotes): void {
  if (dataFrom === null) return
  const { period, range = period, current_period = range, previous_period, previous } = body
  const from = startOf(current_period)
  if (from !== null && from < dataFrom) {
    warnOf(
      notes,
      'RANGE_BEFORE_DATA',
      `The range begins on ${from}, and the first event is of ${dataFrom} (\`data_from\`).`,
    )
  }
  const before = startOf(previous_period ?? previous?.period)
  const name = previous_period === undefined ? 'compared range' : 'period before'
  if (before !== null && before < dataFrom) {
    warnOf(
      notes,
      'RANGE_BEFORE_DATA',
      `The ${name} begins on ${before}, and the first event is of ${dataFrom} (\`data_from\`): changes against it say little.`,
    )
  }
}

/** The first date of a period. The period of a retention is a word. */
function startOf(period: unknown): string | null {
  return typeof period === 'object' && period !== null && 'from' in period ? String(period.from) : null
}
