import { DAY_MS, utcDate } from '#core/time'
import type { UsageCounters } from './counters.ts'

/** The events and reads of an owner on each of the last `days` UTC dates, today included, oldest first. */
export async function usageByDate(
  usage: Pick<UsageCounters, 'month'>,
  owner: string,
  { now, days }: { now: number; days: number },
): Promise<{ date: string; event_count: number; read_count: number }[]> {
  const dates = Array.from({ length: days }, (_, i) => utcDate(now - (days - 1 - i) * DAY_MS))
  const months = [...new Set(dates.map(date => date.slice(0, 7)))]
  const usages = await Promise.all(months.map(month => usage.month(owner, month)))
  const byDate = Object.assign({}, ...usages.map(month => month.days)) as (typeof usages)[number]['days']
  return dates.map(date => ({
    date,
    event_count: byDate[date]?.events ?? 0,
    read_count: byDate[date]?.reads ?? 0,
  }))
}
