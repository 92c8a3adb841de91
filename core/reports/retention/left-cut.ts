import { warnOf } from '#core/reports/run/caveats'
import type { RetentionRequest } from './params.ts'
import type { PeriodStart } from './periods.ts'

type Cohort = { date: string }

/** A cohort that lacks people at its begin, or has too many there; `reason`: why, for the caller. */
type LeftCut = { date: string; reason: string }

/**
 * The cohorts whose rates mislead (U94). The one in which the data begin has everybody who came before as new
 * people, who come back more often. One in which the range begins lacks those who came earlier in its period,
 * and who came late in a period need less time to come back in the next one. `dataFrom`: the date of the
 * first event that the caller may see.
 */
function leftCuts(
  { range, zone }: Pick<RetentionRequest, 'range' | 'zone'>,
  starts: readonly PeriodStart[],
  dataFrom: string | null,
): LeftCut[] {
  const from = zone.dateOf(range.from)
  const startOf = (date: string) => starts.findLast(start => start.date <= date)?.date
  const [ofData, ofRange] = [dataFrom === null ? undefined : startOf(dataFrom), startOf(from)]
  return [
    ...(ofData === undefined
      ? []
      : [
          {
            date: ofData,
            reason: `the first event is of ${dataFrom}, so people who came before count as new in it`,
          },
        ]),
    ...(ofRange === undefined || ofRange === from
      ? []
      : [
          {
            date: ofRange,
            reason: `the range begins within it, on ${from}, so it lacks people who came earlier`,
          },
        ]),
  ]
}

/**
 * The cohorts that `average_rates` is of: all that are not cut, or the cut ones where there are no others. A
 * warning names the cut one.
 */
export function averagedCohorts<C extends Cohort>(
  request: Pick<RetentionRequest, 'range' | 'zone' | 'notes'>,
  {
    starts,
    cohorts,
    dataFrom,
  }: { starts: readonly PeriodStart[]; cohorts: readonly C[]; dataFrom: string | null },
): readonly C[] {
  const cuts = leftCuts(request, starts, dataFrom)
  const found = cuts.find(({ date }) => cohorts.some(cohort => cohort.date === date))
  if (found === undefined) return cohorts
  const whole = cohorts.filter(({ date }) => cuts.every(cut => cut.date !== date))
  const [what, more] =
    whole.length > 0
      ? ['not in `average_rates`', '']
      : ['cut', ' There is no other cohort, so `average_rates` is of it.']
  warnOf(
    request.notes,
    'LEFT_CUT_COHORT',
    `The cohort of ${found.date} is ${what} (\`LEFT_CUT_COHORT\`): ${found.reason}.${more}`,
  )
  return whole.length > 0 ? whole : cohorts
}
