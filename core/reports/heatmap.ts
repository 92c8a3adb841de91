import type { z } from 'zod'
import { events } from '#core/lake/read/relations'
import { integer, sql, unixMs } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { DAY_MS } from '#core/time'
import {
  HEATMAP_PARTS,
  type HeatmapCell,
  type HeatmapPart,
  type heatmapQuery,
  type heatmapResponse,
} from '#schemas/sessions'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'

export type HeatmapParams = Omit<z.output<typeof heatmapQuery>, 'project'>

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** GET /heatmap (docs/api/insights.md): events by weekday and hour of the zone. */
export const heatmap = defineReport<HeatmapParams, z.input<typeof heatmapResponse>>({
  range: sinceDays(7),

  /**
   * - `timed_event`: the hour of the week of each event, and its user.
   * - `hour_user`: the events of each user in each hour. count(DISTINCT user_key) without it takes half as
   *   long again.
   */
  sql: ({ read, zone, range }) => sql`WITH
    timed_event AS (
      SELECT (${unixMs(zone.localTimestamp(range))} / ${integer(HOUR_MS)}
          + ${integer(EPOCH_HOUR)}) % ${integer(WEEK_HOURS)} AS week_hour, ${textKey(sql`user_id`)} AS user_key
      FROM ${events(read, ['timestamp', 'user_id'])} AS each_event),
    hour_user AS (
      SELECT week_hour, user_key, count(*) AS events FROM timed_event GROUP BY week_hour, user_key)
    SELECT week_hour, CAST(sum(events) AS bigint) AS events, count(user_key) AS users
    FROM hour_user GROUP BY week_hour ORDER BY week_hour`,
  shape(rows, request) {
    const { params, project } = request
    const cells = rows.map((row): HeatmapCell => {
      const weekHour = Number(row.week_hour)
      const day = Math.floor(weekHour / 24)
      return {
        day,
        day_name: DAY_NAMES[day] ?? '',
        hour: weekHour % 24,
        events: Number(row.events),
        users: Number(row.users),
      }
    })
    const period = toPeriod(request)
    const warning = unevenWeekdays(period)
    if (warning !== null) request.notes.warnings.add(warning)
    return { project: project.name, period, ...pickParts(partsOf(cells), params.fields) }
  },
})

/** Says that some weekdays are more often in the range than others (U67); null if all are as often in it. */
function unevenWeekdays({ from, to }: { from: string; to: string }): string | null {
  const dates = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (dates % 7 === 0) return null
  const weeks = Math.max(1, Math.floor(dates / 7))
  return `The range has ${dates} dates, so not every weekday is in it equally often. Send \`since=${7 * weeks - 1}d\` for whole weeks.`
}

type Parts = Required<Pick<z.input<typeof heatmapResponse>, HeatmapPart>>

/** The parts of a response with these cells. */
export function partsOf(cells: HeatmapCell[]): Parts {
  const busiestDay = largestSum(cells, ({ day }) => day)
  return {
    heatmap: cells,
    peak: cells.reduce<HeatmapCell | null>(
      (peak, cell) => (peak !== null && peak.events >= cell.events ? peak : cell),
      null,
    ),
    busiest_day: busiestDay === null ? null : (DAY_NAMES[busiestDay] ?? null),
    busiest_hour: largestSum(cells, ({ hour }) => hour),
  }
}

/** The parts that the request names, in the order of the response; all of them if it names none. */
export function pickParts(parts: Parts, names: readonly HeatmapPart[] = HEATMAP_PARTS): Partial<Parts> {
  return Object.fromEntries(Object.entries(parts).filter(([part]) => names.includes(part as HeatmapPart)))
}

const HOUR_MS = 3_600_000
const WEEK_HOURS = 7 * 24
/** 1970-01-01 is a Thursday, and the week begins on Sunday. */
const EPOCH_HOUR = 4 * 24
/** The day or hour with most events; the lowest of equals; null without cells. */
function largestSum(cells: readonly HeatmapCell[], indexOf: (cell: HeatmapCell) => number): number | null {
  const sums = new Map<number, number>()
  for (const cell of cells) sums.set(indexOf(cell), (sums.get(indexOf(cell)) ?? 0) + cell.events)
  const [largest] = [...sums].toSorted(([a, x], [b, y]) => y - x || a - b)
  return largest?.[0] ?? null
}
