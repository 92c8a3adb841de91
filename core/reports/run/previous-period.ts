import { DAY_MS } from '#core/time'
import type { ReportRequest } from './run.ts'
import { addDays } from './zone.ts'

type Dates = { from: string; to: string }

/**
 * The dates of a previous period. `since` and `until`: where it begins and ends within a date, as ISO 8601;
 * absent where the date is whole.
 */
type PreviousPeriod<Params> = {
  period: Dates & { since?: string; until?: string }
  request: ReportRequest<Params>
}

/**
 * The same request for the dates before those of `period`, as many as it has (docs/api/reads.md,
 * compare=previous). If the range ends now, the last one ends at the same local time (U61): else a day that
 * has just begun would be compared with a whole one. A range that begins or ends within a date has as many
 * milliseconds before it.
 */
export function previousPeriod<Params>(
  request: ReportRequest<Params>,
  { from, to }: Dates,
): PreviousPeriod<Params> {
  const { zone, range, now, isByWholeDates = false } = request
  const isRunning = range.to > now && !isByWholeDates
  const endsWithin = range.to <= now && range.to !== zone.startOf(addDays(to, 1))
  if (range.from !== zone.startOf(from) || endsWithin) return previousTimes(request)
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const period = { from: addDays(from, -days), to: addDays(from, -1) }
  const end = isRunning ? zone.sameTimeOn(period.to, now) : zone.startOf(from)
  return {
    period: isRunning ? { ...period, until: new Date(end).toISOString() } : period,
    request: withRange(request, zone.startOf(period.from), end),
  }
}

/** The same request for as many ms before its range as the range has, until now at most. */
function previousTimes<Params>(request: ReportRequest<Params>): PreviousPeriod<Params> {
  const { range, now, zone } = request
  const from = range.from - (Math.min(range.to, now) - range.from)
  return {
    period: {
      from: zone.dateOf(from),
      to: zone.dateOf(range.from - 1),
      since: new Date(from).toISOString(),
      until: new Date(range.from).toISOString(),
    },
    request: withRange(request, from, range.from),
  }
}

function withRange<Params>(request: ReportRequest<Params>, from: number, to: number): ReportRequest<Params> {
  const read = request.choose({ ...request.read, from: Math.max(from, request.oldest), to })
  return { ...request, range: { from, to }, read }
}
