import { parseSince } from '#schemas/fields'
import type { ReadNotes } from './notes.ts'
import { dateOf, type RangeContext } from './range.ts'

/** The parameters that begin or end a range; of these, those that end it. */
const NAMES = ['since', 'until', 'date_from', 'date_to'] as const
const ENDS: readonly string[] = ['until', 'date_to']

type Times = Partial<Record<(typeof NAMES)[number], unknown>>

/**
 * Says that a date-time is read as its whole date (U95), also in the zone of the request. One that is the
 * start of a date, and begins the range, is read as it is.
 */
export function warnOfTimes(params: Times, context: RangeContext, { warnings }: ReadNotes): void {
  for (const name of NAMES) {
    const text = params[name]
    const moment = typeof text === 'string' && text.includes('T') ? parseSince(text) : null
    if (moment === null || 'days' in moment) continue
    const date = dateOf(moment, context)
    const isStart =
      'at' in moment ? context.zone.startOf(date) === moment.at : /T00:00(:00(\.0+)?)?$/.test(String(text))
    if (isStart && !ENDS.includes(name)) continue
    warnings.add(
      `\`${name}\` is a date-time and is read as the whole date ${date}. For a time of day use POST /query with filters by \`timestamp\`.`,
    )
  }
}
