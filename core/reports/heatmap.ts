import type { z } from 'zod'
import { events } from '#core/lake/relations'
import { integer, join, name, sql } from '#core/sql'
import type { HeatmapCell, heatmapQuery, heatmapResponse } from '#schemas/sessions'
import { countDistinct, type GroupSet, textKey } from './distinct.ts'
import { defineReport, sinceDays } from './run.ts'

export type HeatmapParams = Omit<z.output<typeof heatmapQuery>, 'project'>

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** GET /heatmap (contract 1.3): events by weekday and hour of the zone. */
export const heatmap = defineReport<HeatmapParams, z.input<typeof heatmapResponse>>({
  range: sinceDays(7),

  async compute(rows, { project, read, zone, range }) {
    const hourOf = (fields: readonly 'user_id'[]) => {
      const columns = fields.map(field => sql`, ${name(field)}`)
      return sql`(SELECT (date_diff('hour', TIMESTAMP '1970-01-01 00:00:00.000',
          date_trunc('hour', ${zone.localTimestamp(range)})) + ${integer(EPOCH_HOUR)}) % ${integer(WEEK_HOURS)} AS week_hour${join(columns, '')}
        FROM ${events(read, ['timestamp', ...fields])} AS each_event)`
    }
    const [counts, users] = await Promise.all([
      rows(
        sql`SELECT week_hour, count(*) AS events FROM ${hourOf([])} AS timed_event GROUP BY week_hour ORDER BY week_hour`,
      ),
      countDistinct(rows, {
        relation: hourOf(['user_id']),
        entity: textKey(sql`user_id`),
        groupSets: WEEK_SETS,
      }),
    ])
    const usersByHour = users.groups.flat()
    const cells = counts.map((row): HeatmapCell => {
      const weekHour = Number(row.week_hour)
      const day = Math.floor(weekHour / 24)
      return {
        day,
        day_name: DAY_NAMES[day] ?? '',
        hour: weekHour % 24,
        events: Number(row.events),
        users: usersByHour[weekHour] ?? 0,
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

const WEEK_HOURS = 7 * 24
/** 1970-01-01 is a Thursday, and the week begins on Sunday. */
const EPOCH_HOUR = 4 * 24
/** The hours of the week as sets of at most MAX_GROUPS groups. */
const SET_HOURS = 56
const WEEK_SETS: readonly GroupSet[] = [0, 1, 2].map(set => ({
  groupIndex: sql`CASE WHEN week_hour / ${integer(SET_HOURS)} = ${integer(set)} THEN week_hour % ${integer(SET_HOURS)} + 1 ELSE 0 END`,
  size: SET_HOURS,
}))

/** The day or hour with most events; the lowest of equals; null without cells. */
function largestSum(cells: readonly HeatmapCell[], indexOf: (cell: HeatmapCell) => number): number | null {
  const sums = new Map<number, number>()
  for (const cell of cells) sums.set(indexOf(cell), (sums.get(indexOf(cell)) ?? 0) + cell.events)
  const [largest] = [...sums].toSorted(([a, x], [b, y]) => y - x || a - b)
  return largest?.[0] ?? null
}
