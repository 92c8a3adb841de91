import { DAY_MS, utcDate } from '#core/time'

/** Callers may ask for the reads of 90 days (docs/api/projects.md). */
const KEPT_DAYS = 92
/**
 * Each count drops the days of one week that have become too old. Days before a longer pause stay, and do no
 * harm.
 */
const DROPPED_DAYS = 7

/**
 * The update that counts reads in a project's item: `reads` for all time, and `r2026-11-22` for the day. An
 * item stays small, because a write is billed by the size of its item.
 */
export function readDayUpdate(day: string, reads: number) {
  const old = Array.from({ length: DROPPED_DAYS }, (_, i) =>
    attributeOf(utcDate(Date.parse(day) - (KEPT_DAYS + i) * DAY_MS)),
  )
  return {
    UpdateExpression: `ADD #reads :count, #day :count REMOVE ${old.map((_, i) => `#old${i}`).join(', ')}`,
    ExpressionAttributeNames: {
      '#reads': 'reads',
      '#day': attributeOf(day),
      ...Object.fromEntries(old.map((name, i) => [`#old${i}`, name])),
    },
    ExpressionAttributeValues: { ':count': reads },
  }
}

/** The reads of a project's item on the days of one month (YYYY-MM). Other items have none. */
export function readsByDay(item: Record<string, unknown>, month: string): [day: string, reads: number][] {
  return Object.entries(item)
    .filter(([name]) => name.startsWith(attributeOf(`${month}-`)))
    .map(([name, reads]) => [name.slice(1), Number(reads)])
}

function attributeOf(day: string): string {
  return `r${day}`
}
