import type { z } from 'zod'
import type { LakeRead } from '#core/lake/read/lake-read'
import { sessions } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { integer, join, sql, trustedSql } from '#core/sql/sql'
import { namesOf } from '#schemas/compare'
import {
  DURATION_BUCKETS,
  distributionOfPeriod,
  type distributionQuery,
  type distributionResponse,
} from '#schemas/sessions'
import { ratio } from './run/rounding.ts'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'

export type DistributionParams = Omit<z.output<typeof distributionQuery>, 'project'>

/**
 * Sessions shorter than these milliseconds are in the first bucket that fits; all others are in the last one.
 */
const UPPER_LIMITS_MS = [1, 10_000, 30_000, 60_000, 180_000, 600_000]
/** The first bucket of engaged sessions: 30 seconds or more. */
const FIRST_ENGAGED = DURATION_BUCKETS.indexOf('30-60s')

/** GET /sessions/distribution (docs/api/sessions.md): sessions by duration. */
export const sessionDistribution = defineReport<DistributionParams, z.input<typeof distributionResponse>>({
  range: sinceDays(7),
  compared: { fields: namesOf(distributionOfPeriod) },
  sql: ({
    read,
  }) => sql`SELECT duration_group, count(*) AS sessions, CAST(sum(is_bounce) AS bigint) AS bounces,
        CAST(sum(event_count) AS bigint) AS events
      FROM ${byDuration(read, ['is_bounce', 'event_count'])} AS grouped_session
      GROUP BY duration_group ORDER BY duration_group`,
  shape(rows, request) {
    const groups = rows.map(row => ({
      index: Number(row.duration_group),
      sessions: Number(row.sessions),
      bounces: Number(row.bounces),
      events: Number(row.events),
    }))
    const total = groups.reduce((sum, group) => sum + group.sessions, 0)
    const engaged = groups.filter(({ index }) => index >= FIRST_ENGAGED)
    let running = 0
    const median = groups.find(({ sessions }) => {
      running += sessions
      return running * 2 >= total
    })
    return {
      project: request.project.name,
      period: toPeriod(request),
      distribution: groups.map(({ index, sessions, bounces, events }) => ({
        bucket: toBucket(index),
        sessions,
        bounces,
        avg_events: ratio(events, sessions, 1),
        pct: ratio(sessions * 100, total, 1),
      })),
      median_bucket: median === undefined ? null : toBucket(median.index),
      engaged_pct: ratio(engaged.reduce((sum, { sessions }) => sum + sessions, 0) * 100, total, 1),
    }
  },
})

/** The fields of the sessions, each with the index of its bucket as duration_group. */
export function byDuration(
  read: LakeRead,
  fields: readonly ('is_bounce' | 'event_count' | 'user_key')[],
): SqlQuery {
  const cases = UPPER_LIMITS_MS.map((limit, i) => sql`WHEN duration < ${integer(limit)} THEN ${integer(i)}`)
  const columns = join(
    fields.map(field => trustedSql(field)),
    ', ',
  )
  return sql`(SELECT CASE ${join(cases, ' ')} ELSE ${integer(UPPER_LIMITS_MS.length)} END AS duration_group, ${columns}
        FROM (SELECT date_diff('millisecond', start_at, end_at) AS duration, ${columns}
          FROM ${sessions(read, ['start_at', 'end_at', ...fields])} AS session) AS timed_session)`
}

function toBucket(index: number): (typeof DURATION_BUCKETS)[number] {
  return DURATION_BUCKETS[index] ?? '10m+'
}
