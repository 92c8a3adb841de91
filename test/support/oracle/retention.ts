import {
  byCodePoint,
  DAY,
  daysBetween,
  eventsOf,
  isInRange,
  localTime,
  type OracleRequest,
  periodOf,
  ratioOf,
  shiftDate,
  sum,
} from './common.ts'
import type { SentEvent } from './sent-event.ts'
import { oracleSessionList } from './sessions.ts'

export type OracleRetention = {
  period: 'day' | 'week' | 'month'
  cohorts: number
  event?: string | undefined
  returning_event?: string | undefined
  since?: string | undefined
  until?: string | undefined
  people_of_cohort?: string | undefined
  people_of_offset?: number | undefined
  people_dropped?: boolean | undefined
  /** The people whom a condition chooses; absent: everybody. */
  people?: ReadonlySet<string> | undefined
}

/** The first date of the period that holds a date. */
function firstDateOf(date: string, period: OracleRetention['period']): string {
  if (period === 'day') return date
  if (period === 'month') return `${date.slice(0, 7)}-01`
  let monday = date
  while (new Date(monday).getUTCDay() !== 1) monday = shiftDate(monday, -1)
  return monday
}

/** The first dates of the periods, oldest first. */
function periodDates(today: string, { period, cohorts }: OracleRetention): string[] {
  const dates = [firstDateOf(today, period)]
  while (dates.length < cohorts) dates.unshift(firstDateOf(shiftDate(dates[0] as string, -1), period))
  return dates
}

/**
 * Users and the times at which they were active: with an event of this name, or with the start of a session.
 */
function activity(events: readonly SentEvent[], request: OracleRequest, event: string | undefined) {
  const all =
    event === undefined
      ? oracleSessionList(events, request).map(session => ({ user: session.user, at: session.start }))
      : eventsOf(events, request)
          .filter(each => each.event === event && isInRange(each.timestamp, request))
          .map(each => ({ user: each.user_id, at: each.timestamp }))
  return all.flatMap(({ user, at }) => (user === null ? [] : [{ user, at }]))
}

/** docs/api/retention.md. */
export function oracleRetention(
  events: readonly SentEvent[],
  given: Omit<OracleRequest, 'since' | 'until'>,
  asked: OracleRetention,
) {
  const { tz, now, project } = given
  const base = { ...given, ...(asked.until !== undefined && { until: asked.until }) }
  const today = periodOf({ ...base, since: '0d' }).to
  const dates = periodDates(today, asked)
  const windowDays = (Date.parse(localTime(now, tz).date) - Date.parse(dates[0] as string)) / DAY
  const first = new Map<string, number>()
  for (const { user, at } of activity(events, { ...base, since: '3650d' }, asked.event)) {
    if (asked.people?.has(user) === false) continue
    first.set(user, Math.min(first.get(user) ?? at, at))
  }
  const cohortOf = (at: number) => dates.findLast(date => date <= localTime(at, tz).date)
  const active = activity(
    events,
    { ...base, since: `${windowDays}d` },
    asked.returning_event ?? asked.event,
  ).filter(({ at }) => localTime(at, tz).date >= (dates[0] as string))
  const cohorts = dates.flatMap((date, i) => {
    const users = [...first]
      .filter(([, at]) => cohortOf(at) === date)
      .filter(([, at]) => asked.since === undefined || isInRange(at, { ...base, since: asked.since }))
      .map(([user]) => user)
    if (users.length === 0) return []
    const retained = dates.slice(i).map((later, k) => {
      if (k === 0) return users.length
      return users.filter(user => active.some(each => each.user === user && cohortOf(each.at) === later))
        .length
    })
    return [{ date, users: users.length, retained, rates: retained.map(n => ratioOf(n, users.length, 3)) }]
  })
  const { people_of_cohort: date, people_of_offset: offset = 0, people_dropped } = asked
  const cell = dates[dates.indexOf(date ?? '') + offset]
  const people = [...first]
    .filter(([, at]) => cohortOf(at) === date)
    .filter(([, at]) => asked.since === undefined || isInRange(at, { ...base, since: asked.since }))
    .flatMap(([id, joined]) => {
      const times = active.filter(each => each.user === id && cohortOf(each.at) === cell).map(({ at }) => at)
      const returned = times.length === 0 ? null : Math.min(...times)
      if (offset === 0) return [{ id, at: joined }]
      if (people_dropped) return returned === null ? [{ id, at: joined }] : []
      return returned === null ? [] : [{ id, at: returned }]
    })
    .toSorted((a, b) => b.at - a.at || byCodePoint(a.id, b.id))
  const dataFrom = eventsOf(events, { ...base, since: '3650d' })
    .map(each => localTime(each.timestamp, tz).date)
    .toSorted()[0]
  const sinceDate =
    asked.since === undefined
      ? undefined
      : shiftDate(localTime(now, tz).date, -Number.parseInt(asked.since, 10))
  const from = [dates[0] as string, sinceDate ?? ''].toSorted().at(-1) as string
  const cutDates = [
    ...(dataFrom === undefined ? [] : [firstDateOf(dataFrom, asked.period)]),
    ...(from > firstDateOf(from, asked.period) ? [firstDateOf(from, asked.period)] : []),
  ]
  const isRunning = today >= localTime(now, tz).date
  const whole = cohorts.filter(cohort => !cutDates.includes(cohort.date))
  const averaged = whole.length === 0 ? cohorts : whole
  const longest = Math.max(0, ...averaged.map(({ retained }) => retained.length))
  return {
    project,
    period: asked.period,
    range: { from, to: today, days: daysBetween(from, today), ...(isRunning && { running: true }), tz },
    cohorts,
    average_rates: Array.from({ length: longest }, (_, i) => {
      const having = averaged.filter(({ retained }) => retained.length > i)
      return ratioOf(
        sum(having.map(({ retained }) => retained[i] ?? 0)),
        sum(having.map(({ users }) => users)),
        3,
      )
    }),
    users_analyzed: sum(cohorts.map(({ users }) => users)),
    ...(date !== undefined && { people }),
  }
}
