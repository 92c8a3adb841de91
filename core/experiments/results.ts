import type { LakeRead } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import type { DatedParams } from '#core/reports/run/asked-range'
import type { ReadNotes } from '#core/reports/run/notes'
import { defineReport } from '#core/reports/run/run'
import { EVENT_POSITION } from '#core/reports/sql/event-position'
import { propertyValue } from '#core/reports/sql/property-value'
import { integer, join, sql, trustedSql, unixMs } from '#core/sql/sql'
import { EVENT_LIMITS } from '#schemas/event'
import { EXPOSURE_EVENT, type ExperimentRecord, type ExperimentResults } from '#schemas/experiments'
import { compareVariants, findBest, type VariantCounts } from './compare-variants.ts'

/** The fields of an experiment on which its results depend. */
export type MeasuredExperiment = Pick<
  ExperimentRecord,
  | 'name'
  | 'variants'
  | 'goal_event'
  | 'created_at'
  | 'completed_at'
  | 'status'
  | 'smallest_effect'
  | 'planned_size'
>
type Params = DatedParams & { experiment: MeasuredExperiment }

/** The results of an experiment (docs/api/experiments.md), and the key of the variant that has won so far. */
export const experimentResults = defineReport<Params, { results: ExperimentResults; winner: string | null }>({
  range: ({ experiment: { created_at, completed_at } }, { now }) => ({
    from: Date.parse(created_at),
    // The end belongs to the range. Timestamps may be five minutes ahead.
    to: (completed_at === null ? now + EVENT_LIMITS.futureMs : Date.parse(completed_at)) + 1,
  }),
  sql: ({ read, params }) => resultsSql(read, params.experiment),
  shape([row = {}], { params: { experiment }, now, notes }) {
    const counts = toCounts(row, experiment)
    const firstExposureAt = row.first_exposed_at == null ? null : Number(row.first_exposed_at)
    const until = experiment.completed_at === null ? now : Date.parse(experiment.completed_at)
    const results = compareVariants(counts, { ...experiment, firstExposureAt, until })
    noteIntervals(results, notes)
    return { results, winner: findBest(counts) }
  },
})

/** Notes which variants may be no better and no worse than the baseline. */
function noteIntervals({ variants, lift_interval }: ExperimentResults, { caveats }: ReadNotes): void {
  const undecided = variants.slice(1).flatMap(({ key }) => {
    const [low = 0, high = 0] = lift_interval[key] ?? []
    return low <= 0 && high >= 0 ? [`\`${key}\``] : []
  })
  if (undecided.length === 0) return
  caveats.set(
    'INTERVAL_INCLUDES_ZERO',
    `The interval of the lift includes zero for ${undecided.join(', ')}: these users do not show a difference. Read \`decision\` for what to do.`,
  )
}

/**
 * One row: exposures_<i>, users_<i> and conversions_<i> for variant i, and first_exposed_at, Unix ms. A user
 * belongs to the variant of the first exposure, by timestamp and then by arrival. Any later goal event
 * converts the user, so only the time of the last one is needed. One scan groups the events by user; the
 * second level counts the users.
 */
function resultsSql(read: LakeRead, { name, variants, goal_event }: MeasuredExperiment): SqlQuery {
  const experiment = propertyValue('experiment').scalar
  const forced = propertyValue('forced').scalar
  const variant = propertyValue('variant').scalar
  const isExposure = sql`event = ${EXPOSURE_EVENT} AND ${experiment} = ${name} AND coalesce(${forced}, 'false') <> 'true'`
  const variantNumbers = variants.map(({ key }, i) => sql`WHEN ${variant} = ${key} THEN ${integer(i)}`)
  const perEvent = sql`SELECT user_id, timestamp, lag_s, seq,
        CASE WHEN ${isExposure} THEN CASE ${join(variantNumbers, ' ')} END END AS variant,
        CASE WHEN event = ${goal_event} THEN timestamp END AS goal_at
      FROM ${events(read, ['event', 'user_id', 'timestamp', 'lag_s', 'seq', 'properties'])} AS each_event
      WHERE event IN (${EXPOSURE_EVENT}, ${goal_event})`
  const exposures = variants.map(
    (_, i) => sql`count(CASE WHEN variant = ${integer(i)} THEN 1 END) AS ${column('exposures', i)}`,
  )
  const perUser = sql`SELECT user_id, ${join(exposures, ', ')}, max(goal_at) AS goal_at,
        min(CASE WHEN variant IS NOT NULL THEN timestamp END) AS exposed_at,
        min_by(variant, ${EVENT_POSITION}) FILTER (WHERE variant IS NOT NULL) AS first_variant
      FROM (${perEvent}) AS experiment_event GROUP BY user_id`
  const counts = variants.flatMap((_, i) => {
    const isUser = sql`user_id IS NOT NULL AND first_variant = ${integer(i)}`
    return [
      sql`CAST(coalesce(sum(${column('exposures', i)}), 0) AS bigint) AS ${column('exposures', i)}`,
      sql`count(CASE WHEN ${isUser} THEN 1 END) AS ${column('users', i)}`,
      sql`count(CASE WHEN ${isUser} AND goal_at >= exposed_at THEN 1 END) AS ${column('conversions', i)}`,
    ]
  })
  return sql`SELECT ${join(counts, ', ')}, ${unixMs(sql`min(exposed_at)`)} AS first_exposed_at FROM (${perUser}) AS experiment_user`
}

function toCounts(row: Row, { variants }: MeasuredExperiment): VariantCounts[] {
  return variants.map(({ key }, i) => ({
    key,
    exposures: Number(row[`exposures_${i}`] ?? 0),
    users: Number(row[`users_${i}`] ?? 0),
    conversions: Number(row[`conversions_${i}`] ?? 0),
  }))
}

/** Names of columns of this file only. */
function column(prefix: 'exposures' | 'users' | 'conversions', i: number): SqlQuery {
  return trustedSql(`${prefix}_${i}`)
}
