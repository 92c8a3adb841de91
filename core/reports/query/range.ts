import { ApiError } from '#core/errors'
import { type RangeContext, toRange } from '#core/reports/run/range'
import { addDays } from '#core/reports/run/zone'
import type { Range } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { parseSince } from '#schemas/fields'

export type QueryRangeParams = { date_from?: string | undefined; date_to?: string | undefined }

const DATE_FORMS = 'Use an ISO 8601 date such as `2026-11-01`.'

/**
 * The range of POST /query: from `date_from` to the end of `date_to`. Throws INVALID_SINCE or MISSING_FIELDS
 * (U34).
 */
export function queryRange({ date_from, date_to }: QueryRangeParams, context: RangeContext): Range {
  const since = checkedDateFrom(date_from)
  const { from } = toRange({ since }, context, { defaultDays: 7, name: 'date_from' })
  const latest = context.now + EVENT_LIMITS.futureMs + 1
  if (date_to === undefined) return { from, to: latest }
  const lastDate = toDate(date_to, context)
  if (lastDate < context.zone.dateOf(from)) {
    throw new ApiError('MISSING_FIELDS', 'Field `date_to` is before `date_from`. Send them in order.')
  }
  return { from, to: Math.min(latest, context.zone.startOf(addDays(lastDate, 1))) }
}

function checkedDateFrom(text: string | undefined): string | undefined {
  if (text !== undefined && parseSince(text) === null) {
    throw new ApiError(
      'INVALID_SINCE',
      'Field `date_from` must be a number of days such as `7d`, or an ISO 8601 date such as `2026-11-01`.',
    )
  }
  return text
}

function toDate(text: string, { zone }: RangeContext): string {
  const parsed = parseSince(text)
  if (parsed === null || 'days' in parsed) {
    throw new ApiError('MISSING_FIELDS', `Field \`date_to\` is not a date. ${DATE_FORMS}`)
  }
  return 'date' in parsed ? parsed.date : zone.dateOf(parsed.at)
}
