import type { z } from 'zod'
import { events } from '#core/lake/relations'
import { sql } from '#core/sql'
import type { HeatmapCell, heatmapQuery, heatmapResponse } from '#schemas/sessions'
import { defineReport, sinceDays } from './run.ts'

export type HeatmapParams = Omit<z.output<typeof heatmapQuery>, 'project'>

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** GET /heatmap (contract 1.3): events by weekday and hour of the zone. */
export const heatmap = defineReport<HeatmapParams, z.input<typeof heatmapResponse>>({
  range: sinceDays(7),
  // 1970-01-01 was a Thursday, day 4 of a week that begins on Sunday.
  sql: ({ read, zone, range }) => sql`SELECT (local_hour / 24 + 4) % 7 AS day, local_hour % 24 AS hour,
      count(*) AS events, count(DISTINCT user_id) AS users
    FROM (SELECT date_diff('hour', TIMESTAMP '1970-01-01 00:00:00.000',
          date_trunc('hour', ${zone.localTimestamp(range)})) AS local_hour, user_id
      FROM ${events(read, ['timestamp', 'user_id'])} AS each_event) AS timed_event
    GROUP BY (local_hour / 24 + 4) % 7, local_hour % 24
    ORDER BY day, hour`,
  shape(rows, { project }) {
    const cells = rows.map((row): HeatmapCell => {
      const day = Number(row.day)
      return {
        day,
        day_name: DAY_NAMES[day] ?? '',
        hour: Number(row.hour),
        events: Number(row.events),
        users: Number(row.users),
      }
    })
    const busiestDay = largestSum(cells, ({ day }) => day)
    return {
      project: project.name,
      heatmap: cells,
      peak: cells.reduce<HeatmapCell | null>(
        (peak, cell) => (peak !== null && peak.events >= cell.events ? peak : cell),
        null,
      ),
      busiest_day: busiestDay === null ? null : (DAY_NAMES[busiestDay] ?? null),
      busiest_hour: largestSum(cells, ({ hour }) => hour),
    }
  },
})

/** The day or hour with most events; the lowest of equals; null without cells. */
function largestSum(cells: readonly HeatmapCell[], indexOf: (cell: HeatmapCell) => number): number | null {
  const sums = new Map<number, number>()
  for (const cell of cells) sums.set(indexOf(cell), (sums.get(indexOf(cell)) ?? 0) + cell.events)
  const [largest] = [...sums].toSorted(([a, x], [b, y]) => y - x || a - b)
  return largest?.[0] ?? null
}
