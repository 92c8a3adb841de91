import { DAY_MS, QUARTER_MS } from '#core/time'
import type { BotDay } from '#core/usage/counters'
import type { Zone } from './run/zone.ts'

/** Requests of one bot to one project on one date of a time zone. */
export type BotsOfDate = Omit<BotDay, 'day' | 'quarters'> & { date: string }

/**
 * Splits the counts of a UTC day at the midnight of the zone. Both parts have the time of the last request of
 * the day: the current period ends now, so the later part is in it whenever the earlier part is.
 */
export function toLocalDates({ day, quarters, ...count }: BotDay, zone: Zone): BotsOfDate[] {
  const start = Date.parse(day)
  const [first, last] = [zone.dateOf(start), zone.dateOf(start + DAY_MS - 1)]
  if (first === last) return [{ ...count, date: first }]
  const midnight = zone.startOf(last)
  const parts = {
    [first]: { ...count, date: first, requests: 0, dropped: 0 },
    [last]: { ...count, date: last, requests: 0, dropped: 0 },
  }
  for (const [quarter, [requests, dropped]] of Object.entries(quarters)) {
    const part = parts[start + Number(quarter) * QUARTER_MS < midnight ? first : last] as BotsOfDate
    part.requests += requests
    part.dropped += dropped
  }
  return Object.values(parts).filter(({ requests }) => requests > 0)
}
