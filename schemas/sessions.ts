import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { contextOfResponse } from './contexts.ts'
import {
  bounceRate,
  cursor,
  datedPeriod,
  limit,
  nameList,
  nextBefore,
  oneOf,
  otherGroups,
  period,
  pickedRow,
  project,
  questionOfWeek,
  tz,
  wholeNumber,
  wholePeriod,
} from './fields.ts'
import { flag } from './read-options.ts'

const dated = { project, ...questionOfWeek }

export const sessionRow = z
  .object({
    session_id: z.string(),
    user_id: z.string().nullable(),
    project_id: z.string(),
    start_time: z.int().meta({ description: 'Unix ms' }),
    end_time: z.int().meta({ description: 'Unix ms' }),
    duration: z.int().meta({ description: 'ms' }),
    entry_page: z.string().nullable(),
    exit_page: z.string().nullable(),
    event_count: z.int(),
    is_bounce: z
      .union([z.literal(0), z.literal(1)])
      .meta({ description: '1: a bounce, /numbers.md#bounces' }),
    date: z.string().meta({ description: 'Date of the start, in `tz`' }),
    has_replay: z.boolean(),
    replay_count: z.int(),
  })
  .meta({ id: 'Session' })

export type SessionRow = z.infer<typeof sessionRow>

const SESSION_FIELDS = Object.keys(sessionRow.shape) as (keyof SessionRow)[]

/** Sessions that start in the range (docs/api/sessions.md). */
export const sessionsQuery = z.object({
  ...dated,
  limit,
  user_id: z.string().optional().meta({ description: 'Only sessions of this user: any id of the person' }),
  is_bounce: wholeNumber('is_bounce', 0, 1)
    .meta({ description: '1: only bounces, sessions without any interaction; 0: only the others' })
    .optional(),
  has_replay: flag('has_replay', 'Only sessions with a replay that began in the range: U141'),
  fields: nameList('fields', {
    description: 'Only these fields of a session, such as `start_time,entry_page`',
    allowed: SESSION_FIELDS,
  }),
  before: cursor,
})

/** Present only in a list that a limit has cut. */
export const cut = {
  truncated: z.literal(true).optional().meta({ description: 'Present when a limit has cut the list' }),
  total_rows: z.int().optional().meta({ description: 'The length of the whole list, where it is cut' }),
}

export const sessionsResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    sessions: z.array(z.union([sessionRow, pickedRow])).meta({ description: 'Newest start first' }),
    next_before: nextBefore,
    ...cut,
    ...contextOfResponse,
  })
  .meta({ id: 'Sessions' })

export const distributionQuery = z.object({ ...dated, compare })

export const DURATION_BUCKETS = ['0s', '1-10s', '10-30s', '30-60s', '1-3m', '3-10m', '10m+'] as const

/** What a response has of each period. */
export const distributionOfPeriod = {
  period: datedPeriod,
  distribution: z.array(
    z.object({
      bucket: z.enum(DURATION_BUCKETS),
      sessions: z.int(),
      bounces: z.int(),
      avg_events: z.number(),
      pct: z.number().meta({ description: '0 to 100' }),
    }),
  ),
  other: otherGroups({ sessions: z.int() }),
  median_bucket: z.enum(DURATION_BUCKETS).nullable(),
  engaged_pct: z.number().meta({ description: 'Percentage of sessions of 30 seconds or more' }),
}

export const distributionResponse = z
  .object({
    project: z.string(),
    ...distributionOfPeriod,
    previous: previousOf(distributionOfPeriod),
    ...contextOfResponse,
  })
  .meta({ id: 'SessionDistribution' })

export const PAGE_TYPES = ['entry', 'exit', 'both'] as const

export const pagesQuery = z.object({
  ...dated,
  type: oneOf('type', PAGE_TYPES).default('entry').meta({
    description: 'Pages on which sessions began, ended, or both lists',
  }),
  limit: wholeNumber('limit', 1, 1000)
    .default(20)
    .meta({ description: 'The largest number of pages of each list' }),
  compare,
})

const pageRow = z.object({
  page: z.string().meta({ description: 'Path, or the URL of events without a path' }),
  sessions: z.int(),
  bounces: z.int(),
  bounce_rate: bounceRate,
  avg_duration: z.int().meta({ description: 'ms' }),
  avg_events: z.number(),
})

export type PageRow = z.infer<typeof pageRow>

/** What a response has of each period. */
export const pagesOfPeriod = {
  period: datedPeriod,
  entry_pages: z.array(pageRow).optional(),
  exit_pages: z.array(pageRow).optional(),
  other: otherGroups({ entry_sessions: z.int(), exit_sessions: z.int() }),
  ...cut,
}

export const pagesResponse = z
  .object({
    project: z.string(),
    ...pagesOfPeriod,
    previous: previousOf(pagesOfPeriod),
    ...contextOfResponse,
  })
  .meta({ id: 'Pages' })

export const insightsQuery = z.object({ project, period, tz })

/** A number of two periods (R13); `change_pct` is null when it grew from 0. */
export const deltaMetric = z.object({
  current: z.number(),
  previous: z.number(),
  change: z.number().meta({ description: 'current - previous' }),
  change_pct: z.int().nullable().meta({ description: 'Whole percentage; null: it grew from 0' }),
})

export type DeltaMetric = z.infer<typeof deltaMetric>

export const insightsResponse = z
  .object({
    project: z.string(),
    current_period: wholePeriod,
    previous_period: wholePeriod,
    metrics: z.object({
      total_events: deltaMetric,
      unique_users: deltaMetric,
      total_sessions: deltaMetric,
      bounce_rate: deltaMetric,
      avg_duration: deltaMetric,
    }),
    trend: z.enum(['growing', 'stable', 'declining']).meta({
      description:
        'Of total_events: growing above 10 %, declining below -10 %; stable unless all of the period before has data',
    }),
    ...contextOfResponse,
  })
  .meta({ id: 'Insights' })

export const HEATMAP_PARTS = ['heatmap', 'peak', 'busiest_day', 'busiest_hour'] as const
export type HeatmapPart = (typeof HEATMAP_PARTS)[number]

export const heatmapQuery = z.object({
  ...dated,
  fields: nameList('fields', {
    description: `Only these parts: \`peak\`, or some of \`${HEATMAP_PARTS.join(',')}\``,
    allowed: HEATMAP_PARTS,
  }),
})

const heatmapCell = z.object({
  day: z.int().meta({ description: '0 is Sunday' }),
  day_name: z.string(),
  hour: z.int(),
  events: z.int(),
  users: z.int(),
})

export type HeatmapCell = z.infer<typeof heatmapCell>

export const heatmapResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    heatmap: z.array(heatmapCell).optional(),
    peak: heatmapCell.nullish(),
    busiest_day: z.string().nullish(),
    busiest_hour: z.int().nullish(),
    other: otherGroups({ events: z.int() }),
    ...contextOfResponse,
  })
  .meta({ id: 'Heatmap' })
