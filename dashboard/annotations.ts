import type { Mark } from './charts/series-drawing.ts'

/** What the owner has noted about a time: `occurred_at` is a date, or a date-time of ISO 8601. */
type Annotation = { occurred_at: string; title: string }

export type TimeAxis = {
  /** The intervals, as `bucketsOf` of dashboard/range.ts names them. */
  buckets: readonly string[]
  /** The last date of the range. The last interval may go on after it. */
  to: string
  /** The zone of the intervals. */
  zone: string
}

/** The annotations that are within the range of a chart, each at its interval. */
export function marksOf(
  context: { annotations: readonly Annotation[] } | undefined,
  { buckets, to, zone }: TimeAxis,
): Mark[] {
  return (context?.annotations ?? []).flatMap(({ occurred_at, title }) => {
    const local = localTime(occurred_at, zone)
    // A response has those of a day before and after its range, too.
    if (local.slice(0, 10) > to) return []
    const index = buckets.findLastIndex(bucket => startOf(bucket) <= local)
    return index === -1 ? [] : [{ index, title }]
  })
}

/** The local time at which an interval begins: `2026-11-23T00:00`. */
function startOf(bucket: string): string {
  if (bucket.length === 7) return `${bucket}-01T00:00`
  return bucket.length === 10 ? `${bucket}T00:00` : bucket
}

/** A moment in a zone, as intervals write it. A date is that of the zone; a time without offset is UTC. */
function localTime(occurredAt: string, zone: string): string {
  if (occurredAt.length === 10) return `${occurredAt}T00:00`
  const at = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(occurredAt) ? occurredAt : `${occurredAt}Z`)
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return parts.format(at).replace(' ', 'T')
}
