import type { SqlQuery } from '#core/ports'
import { type RangeContext, toRange } from '#core/reports/run/range'
import { addDays } from '#core/reports/run/zone'
import { integer, join, sql, timestamp } from '#core/sql/sql'
import { DAY_MS, type Range } from '#core/time'
import { MAX_DAYS } from '#schemas/fields'
import type { RetentionPeriod } from '#schemas/retention'
import type { RetentionRequest } from './params.ts'

export type PeriodStart = { date: string; from: number }

/** The periods of the cohort window, oldest first; the last one holds the end of the range, or now. */
export function periodStarts({
  params: { period, cohorts },
  zone,
  now,
  range,
}: Pick<RetentionRequest, 'params' | 'zone' | 'now'> & { range: Pick<Range, 'to'> }): PeriodStart[] {
  const current = startOfPeriod(zone.dateOf(Math.min(range.to - 1, now)), period)
  return Array.from({ length: cohorts }, (_, i) => {
    const date = shiftPeriods(current, period, i - cohorts + 1)
    return { date, from: zone.startOf(date) }
  })
}

/**
 * The range of the cohorts: from the earliest time at which their users were first seen. Throws as toRange
 * does.
 */
export function cohortRange(params: RetentionRequest['params'], context: RangeContext): Range {
  const { until, date_to, since, date_from, days } = params
  const { to } = toRange({ until, date_to }, context, { defaultDays: MAX_DAYS })
  const windowStart = periodStarts({ params, ...context, range: { to } })[0]?.from ?? context.now
  const hasStart = [since, date_from, days].some(start => start !== undefined)
  if (!hasStart) return { from: windowStart, to }
  return { from: Math.max(windowStart, toRange(params, context, { defaultDays: 0 }).from), to }
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
