import { byCodePoint, HOUR, localTime, ratioOf, shiftDate } from './common.ts'
import type { SentEvent } from './sent-event.ts'

type AllSitesRequest = { now: number; tz: string; days: number; limit: number }

/** GET /account/all-sites, computed naively: an event counts on its local date, up to today. */
export function oracleAllSites(
  events: readonly SentEvent[],
  projects: readonly { id: string; name: string }[],
  { now, tz, days, limit }: AllSitesRequest,
) {
  const today = localTime(now, tz).date
  const dates = Array.from({ length: days }, (_, i) => shiftDate(today, i + 1 - days))
  const datesBefore = dates.map(date => shiftDate(date, -days))
  const dated = events
    .filter(event => event.timestamp <= now + HOUR / 12)
    .map(event => ({ project: event.project_id, date: localTime(event.timestamp, tz).date }))
  const current = dated.filter(({ date }) => dates.includes(date))
  const previous = dated.filter(({ date }) => datesBefore.includes(date))
  const change = current.length - previous.length
  const sites = projects
    .map(({ id, name }) => ({ id, name, own: current.filter(({ project }) => project === id) }))
    .filter(({ own }) => own.length > 0)
    .toSorted((a, b) => b.own.length - a.own.length || byCodePoint(a.name, b.name))
  const remaining = Math.max(0, sites.length - limit)
  const growth = current.length > 0 ? null : 0
  return {
    scope: 'account',
    period: {
      label: `${days}d`,
      from: dates[0],
      to: today,
      days,
      running: true,
      previous_from: datesBefore[0],
      previous_to: datesBefore.at(-1),
      tz,
    },
    summary: {
      total_projects: projects.length,
      active_projects: sites.length,
      total_events: {
        current: current.length,
        previous: previous.length,
        change,
        change_pct: previous.length === 0 ? growth : Math.floor((change * 100) / previous.length + 0.5),
      },
    },
    time_series: dates.map(date => ({ date, events: current.filter(event => event.date === date).length })),
    projects: sites.slice(0, limit).map(({ id, name, own }) => ({
      id,
      name,
      events: own.length,
      share_pct: ratioOf(own.length * 100, current.length, 1),
      last_active_date: own
        .map(({ date }) => date)
        .toSorted()
        .at(-1),
    })),
    remaining_projects: remaining,
    ...(remaining > 0 && { truncated: true, total_rows: sites.length }),
  }
}
