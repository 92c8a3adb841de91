import { DAY_MS } from '#core/time'
import type { ReportRequest } from './run.ts'
import { addDays } from './zone.ts'

type Dates = { from: string; to: string }

/** The same request for the dates before those of `period`, as many as it has (contract 1.13, compare=previous). */
export function previousPeriod<Params>(
  request: ReportRequest<Params>,
  { from, to }: Dates,
): { period: Dates; request: ReportRequest<Params> } {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const period = { from: addDays(from, -days), to: addDays(from, -1) }
  const { zone } = request
  return { period, request: withRange(request, zone.startOf(period.from), zone.startOf(from)) }
}

/** The same request for as many ms before its range as the range has until now. */
export function previousHours<Params>(request: ReportRequest<Params>): {
  period: Dates
  request: ReportRequest<Params>
} {
  const { range, now, zone } = request
  const from = range.from - (now - range.from)
  const period = { from: zone.dateOf(from), to: zone.dateOf(range.from - 1) }
  return { period, request: withRange(request, from, range.from) }
}

function withRange<Params>(request: ReportRequest<Params>, from: number, to: number): ReportRequest<Params> {
  const read = { ...request.read, from: Math.max(from, request.oldest), to }
  return { ...request, range: { from, to }, read }
}
