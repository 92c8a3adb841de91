import type { z } from 'zod'
import { ApiError } from '#core/errors'
import { warnOf } from '#core/reports/run/caveats'
import { ratio } from '#core/reports/run/rounding'
import { defineReport, toPeriod } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import type { retentionResponse } from '#schemas/retention'
import { averagedCohorts } from './left-cut.ts'
import { MAX_USERS, type RetentionParams, type RetentionRequest } from './params.ts'
import { cohortRange, type PeriodStart, periodStarts } from './periods.ts'
import { type Cell, retentionPeopleSql, retentionSql } from './sql.ts'

type Response = z.input<typeof retentionResponse>

/** GET /retention (docs/api/retention.md). "First seen" looks at all that the project has stored. */
export const retention = defineReport<RetentionParams, Response>({
  range: cohortRange,
  unit: () => 'person',
  async compute(read, request) {
    const { project, params } = request
    const starts = periodStarts(request)
    const cell = cellOf(params, starts)
    const [rows, people, dataFrom] = await Promise.all([
      read(retentionSql(request, starts)),
      cell === null ? null : readPeople(read, request, starts, cell),
      request.readDataFrom(),
    ])
    const cohorts = starts.flatMap(({ date }, cohort) => {
      const ofCohort = rows.filter(row => row.cohort !== null && Number(row.cohort) === cohort)
      const users = Number(ofCohort[0]?.cohort_users ?? 0)
      if (users === 0) return []
      const active = new Map(ofCohort.map(row => [Number(row.active_period), Number(row.active_users)]))
      const retained = starts.slice(cohort).map((_, i) => (i === 0 ? users : (active.get(cohort + i) ?? 0)))
      return [{ date, users, retained, rates: retained.map(count => ratio(count, users, 3)) }]
    })
    const analyzed = cohorts.reduce((sum, { users }) => sum + users, 0)
    const leftOut = Number(rows.find(row => row.cohort === null)?.cohort_users ?? 0)
    const total = analyzed + leftOut
    if (leftOut > 0) {
      warnOf(
        request.notes,
        'SAMPLED',
        `Only an even sample of ${MAX_USERS} of the ${total} users is analyzed: all counts and \`people\` are of the sample. Read the rates, or ask for fewer users by \`cohorts\`, \`since\` or \`event\`.`,
      )
    }
    const averaged = averagedCohorts(request, { starts, cohorts, dataFrom })
    const longest = Math.max(0, ...averaged.map(({ retained }) => retained.length))
    return {
      project: project.name,
      range: toPeriod(request),
      period: params.period,
      cohorts,
      average_rates: Array.from({ length: longest }, (_, i) => {
        const reached = averaged.filter(({ retained }) => retained.length > i)
        const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
        return ratio(
          sumOf(reached.map(({ retained }) => retained[i] ?? 0)),
          sumOf(reached.map(({ users }) => users)),
          3,
        )
      }),
      users_analyzed: analyzed,
      ...(people !== null && { people }),
      ...(leftOut > 0 && { truncated: true as const, total_users: total }),
    }
  },
  namesOfEmpty: ({ event, returning_event }, { cohorts }) =>
    cohorts.every(({ retained }) => retained.slice(1).every(users => users === 0))
      ? { events: [event, returning_event] }
      : null,
})

/** The cell whose people the request asks for; null if it asks for none. Throws MISSING_FIELDS. */
function cellOf(
  { people_of_cohort: date, people_of_offset, people_dropped: isDropped = false }: RetentionParams,
  starts: readonly PeriodStart[],
): Cell | null {
  if (date === undefined) {
    if (people_of_offset === undefined && !isDropped) return null
    throw new ApiError(
      'MISSING_FIELDS',
      'Parameter `people_of_cohort` is missing. Send the `date` of a cohort beside `people_of_offset` and `people_dropped`.',
    )
  }
  const cohort = starts.findIndex(start => start.date === date)
  if (cohort === -1) {
    throw new ApiError(
      'MISSING_FIELDS',
      `No cohort of this request begins on ${date}. Send one of these dates as \`people_of_cohort\`: ${starts.map(start => start.date).join(', ')}.`,
    )
  }
  const offset = people_of_offset ?? 0
  const last = starts.length - 1 - cohort
  if (offset > last) {
    throw new ApiError(
      'MISSING_FIELDS',
      `The period ${offset} after ${date} has not begun. Send \`people_of_offset\` from 0 to ${last}.`,
    )
  }
  if (isDropped && offset === 0) {
    throw new ApiError(
      'MISSING_FIELDS',
      'In its first period the whole cohort is active. Send `people_of_offset` from 1 with `people_dropped`.',
    )
  }
  return { cohort, offset, isDropped }
}

async function readPeople(
  read: ReadRows,
  request: RetentionRequest,
  starts: readonly PeriodStart[],
  cell: Cell,
): Promise<{ id: string; at: number }[]> {
  const found = await read(retentionPeopleSql(request, starts, cell))
  return found.map(({ id, reached_at }) => ({ id: String(id), at: Number(reached_at) }))
}
