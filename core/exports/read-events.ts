import { type EventPage, readEvents } from '#core/reports/event-page'
import type { DatedParams } from '#core/reports/run/asked-range'
import { defineReport } from '#core/reports/run/run'
import { DAY_MS, type Range } from '#core/time'
import type { DayCounts } from './export.ts'

/** Events of a statement: 45 MB where each is as large as it may be. */
const PAGE = 5_000
/** Days are read together until they have so many events, so that quiet days cost few statements. */
const TOGETHER = 50_000

export type PageParams = DatedParams & { range: Range; before?: string | undefined }

/** The next events of a range, oldest first, with ids resolved to people. */
export const exportPage = defineReport<PageParams, EventPage>({
  range: ({ range }) => range,
  compute: (rows, { project, params, read }) =>
    readEvents(rows, {
      params: { limit: PAGE, order: 'asc', before: params.before },
      users: null,
      members: [{ project, read }],
    }),
})

/** Ranges of whole UTC days with all days that have events, from the day `first` (Unix ms) on. */
export function rangesOf(counted: DayCounts, first: number): Range[] {
  const ranges: Range[] = []
  let events = TOGETHER
  for (const [date, count] of Object.entries(counted).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const from = Date.parse(date)
    if (from < first) continue
    const last = ranges.at(-1)
    if (last === undefined || events + count > TOGETHER) {
      ranges.push({ from, to: from + DAY_MS })
      events = count
    } else {
      last.to = from + DAY_MS
      events += count
    }
  }
  return ranges
}

/** The days whose events are not between both counts, in sentences. Events may come during an export. */
export function differences(
  found: DayCounts,
  { before, after }: { before: DayCounts; after: DayCounts },
): string[] {
  const days = new Set([before, found, after].flatMap(counts => Object.keys(counts)))
  return [...days].toSorted().flatMap(day => {
    const events = found[day] ?? 0
    const bounds = [before[day] ?? 0, after[day] ?? 0]
    const [low, high] = [Math.min(...bounds), Math.max(...bounds)]
    return low <= events && events <= high ? [] : [`${day}: ${events} events, ${low} to ${high} counted.`]
  })
}
