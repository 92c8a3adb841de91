import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { contextOfResponse } from './contexts.ts'
import {
  bounceRate,
  datedPeriod,
  oneOf,
  otherGroups,
  project,
  questionOfWeek,
  sessionCount,
  singlePageRate,
  uniqueUsers,
} from './fields.ts'
import { deltaMetric } from './sessions.ts'

export const STATS_GROUPS = ['hour', 'day', 'week', 'month'] as const
export type StatsGroup = (typeof STATS_GROUPS)[number]

export const statsQuery = z.object({
  project,
  ...questionOfWeek,
  groupBy: oneOf('groupBy', STATS_GROUPS).default('day').meta({
    description:
      'The intervals of `timeSeries`. Weeks begin on Monday. With `hour` and `since=Nd` the range is N * 24 hours.',
  }),
  compare,
})

const counts = { count: z.int(), unique_users: uniqueUsers }

/** What a response has of each period. */
export const statsOfPeriod = {
  period: datedPeriod.extend({ groupBy: z.enum(STATS_GROUPS) }),
  totals: z.object({ unique_users: uniqueUsers, total_events: z.int() }),
  timeSeries: z
    .array(
      z.object({
        bucket: z.string().meta({
          description:
            'Start of the interval: `2026-11-18`, or `2026-11-18T15:00` for hours, `2026-11` for months',
        }),
        unique_users: uniqueUsers,
        total_events: z.int(),
      }),
    )
    .meta({ description: 'Oldest first; intervals without events are left out' }),
  events: z
    .array(z.object({ event: z.string(), ...counts }))
    .meta({ description: 'The 20 most frequent events' }),
  sessions: z.object({
    total_sessions: sessionCount,
    bounce_rate: bounceRate,
    single_page_rate: singlePageRate,
    avg_duration: z.int().meta({ description: 'ms' }),
    pages_per_session: z.number().meta({ description: 'Events of any name per session' }),
    sessions_per_user: z.number(),
  }),
  countries: z
    .array(z.object({ country: z.string().nullable(), ...counts }))
    .meta({ description: 'The 20 most frequent countries; null: unknown' }),
  truncated: z.literal(true).optional().meta({
    description: 'Present above 20 event names or countries',
  }),
  other: otherGroups({ events: z.int(), countries: z.int(), hours: z.int() }),
}

const periodResponse = z.object(statsOfPeriod)

export type StatsOfPeriod = z.infer<typeof periodResponse>

/** The response of docs/api/stats.md; `previous` and `changes` with `compare` (docs/api/reads.md, U108). */
export const statsResponse = z
  .object({
    project: z.string(),
    ...statsOfPeriod,
    previous: previousOf(statsOfPeriod),
    changes: z
      .object({
        total_events: deltaMetric,
        unique_users: deltaMetric,
        total_sessions: deltaMetric,
        bounce_rate: deltaMetric,
        single_page_rate: deltaMetric,
        avg_duration: deltaMetric,
      })
      .optional(),
    ...contextOfResponse,
  })
  .meta({ id: 'Stats' })

export type Stats = z.infer<typeof statsResponse>
