import { parseSince } from '#schemas/fields'
import type { ReadNotes } from './notes.ts'
import { dateOf, type RangeContext, type RangeParams } from './range.ts'

/** Says that a range ends now where its last date is in the future (U34). */
export function warnOfFuture(params: RangeParams, context: RangeContext, { warnings }: ReadNotes): void {
  for (const name of ['until', 'date_to'] as const) {
    const text = params[name]
    const moment = text === undefined ? null : parseSince(text)
    if (moment === null || dateOf(moment, context) <= context.zone.dateOf(context.now)) continue
    warnings.add(`\`${name}\` is in the future, so the range ends now.`)
  }
}
