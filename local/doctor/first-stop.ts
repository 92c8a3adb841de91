import { DAY_MS, utcDate } from '#core/time'
import type { Facts } from './facts.ts'

/** What ends first if nobody does anything, and in how many days; 0: it has ended. */
export type Stop = { days: number; text: string }

/** Whole days from which the growth is taken. */
const GROWTH_DAYS = 7
/** Further ahead nobody plans. */
const MAX_DAYS = 3_650

/** Bytes by which the lake grows in a day, from the events of the last whole days; null: nobody can say. */
export function growthPerDay({
  events,
  folder,
  now,
}: Pick<Facts, 'events' | 'folder' | 'now'>): number | null {
  if (events === null || folder === null) return null
  const total = Object.values(events).reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const days = Array.from({ length: GROWTH_DAYS }, (_, i) => utcDate(now - (i + 1) * DAY_MS))
  // A service that is younger has fewer whole days.
  const first = Object.keys(events).toSorted()[0] as string
  const lived = days.filter(day => day >= first)
  if (lived.length === 0) return null
  const recent = lived.reduce((sum, day) => sum + (events[day] ?? 0), 0)
  return (recent / lived.length) * (folder.lakeBytes / total)
}

/** What would stop first; null when nothing is in sight. */
export function firstStop(facts: Facts): Stop | null {
  const { state, reach, now } = facts
  const stops: Stop[] = []
  const growth = growthPerDay(facts)
  const disk = state?.readings.disk ?? null
  if (disk !== null) {
    if (disk.isReached) stops.push({ days: 0, text: 'Events are refused now: the disk is full.' })
    else if (growth !== null && growth > 0) {
      const days = (disk.free - disk.needed) / growth
      const text = `The disk has room for ${inDays(days)} at ${megabytes(growth)} MB a day; then events are refused.`
      stops.push({ days, text })
    }
  }
  if (reach?.certificate != null) {
    const days = (reach.certificate.validUntil - now) / DAY_MS
    stops.push({
      days: Math.max(0, days),
      text: `The certificate of ${reach.address} is valid for ${inDays(days)}, if nothing renews it; then browsers send nothing.`,
    })
  }
  const [first] = stops.filter(({ days }) => days < MAX_DAYS).toSorted((a, b) => a.days - b.days)
  return first ?? null
}

function inDays(days: number): string {
  const whole = Math.max(0, Math.floor(days))
  if (whole === 1) return '1 day'
  return whole > MAX_DAYS ? 'over ten years' : `${whole} days`
}

export function megabytes(bytes: number): string {
  const value = bytes / 1e6
  return value >= 10 ? String(Math.round(value)) : value.toFixed(value >= 0.1 ? 1 : 3)
}
