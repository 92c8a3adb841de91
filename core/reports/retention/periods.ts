import type { SqlQuery } from '#core/ports'
import { toRange } from '#core/reports/run/range'
import { addDays } from '#core/reports/run/zone'
import { integer, join, sql, timestamp } from '#core/sql/sql'
import { DAY_MS } from '#core/time'
import type { RetentionPeriod } from '#schemas/retention'
import type { RetentionRequest } from './params.ts'

export type PeriodStart = { date: string; from: number }

/** The periods of the cohort window, oldest first; the last one is the current period. */
export function periodStarts({
  params: { period, cohorts },
  zone,
  now,
}: Pick<RetentionRequest, 'params' | 'zone' | 'now'>): PeriodStart[] {
  const current = startOfPeriod(zone.dateOf(now), period)
  return Array.from({ length: cohorts }, (_, i) => {
    const date = shiftPeriods(current, period, i - cohorts + 1)
    return { date, from: zone.startOf(date) }
  })
}

/** The earliest time at which users of a cohort were first seen, Unix ms. Throws INVALID_SINCE. */
export function earliestFirst(
  params: RetentionRequest['params'],
  { now, zone }: Pick<RetentionRequest, 'zone' | 'now'>,
): number {
  const windowStart = periodStarts({ params, now, zone })[0]?.from ?? now
  if (params.since === undefined && params.days === undefined) return windowStart
  return Math.max(windowStart, toRange(params, { now, zone }, { defaultDays: 0 }).from)
}

function startOfPeriod(date: string, period: RetentionPeriod): string {
  if (period === 'month') return `${date.slice(0, 7)}-01`
  if (period === 'day') return date
  // Days since the last Monday; 1970-01-05 was a Monday.
  const day = Math.floor(Date.parse(date) / DAY_MS) - 4
  return addDays(date, -(((day % 7) + 7) % 7))
}

function shiftPeriods(date: string, period: RetentionPeriod, count: number): string {
  if (period !== 'month') return addDays(date, count * (period === 'week' ? 7 : 1))
  const month = new Date(`${date}T00:00:00Z`)
  month.setUTCMonth(month.getUTCMonth() + count)
  return month.toISOString().slice(0, 10)
}

/** The number of the period that holds a time. */
export function periodNumber(at: SqlQuery, starts: readonly PeriodStart[]): SqlQuery {
  const cases = starts
    .map(({ from }, i) => sql`WHEN ${at} >= ${timestamp(from)} THEN ${integer(i)}`)
    .toReversed()
  return sql`CASE ${join(cases, ' ')} ELSE -1 END`
}
