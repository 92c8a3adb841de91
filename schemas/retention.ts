import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { days, failsWith, oneOf, project, since, tz, wholeNumber } from './fields.ts'

export const RETENTION_PERIODS = ['day', 'week', 'month'] as const
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number]

/** Most cohorts of each period (contract 1.10). */
const MAX_COHORTS: Record<RetentionPeriod, number> = { day: 30, week: 12, month: 12 }

/** GET /retention (contract 2.4). */
export const retentionQuery = z
  .object({
    project,
    period: oneOf('period', RETENTION_PERIODS).default('week'),
    cohorts: wholeNumber('cohorts', 1, 30).default(8),
    event: z.string().min(1).optional(),
    returning_event: z.string().min(1).optional(),
    since: since.optional(),
    days: days.optional(),
    tz,
  })
  .refine(({ period, cohorts }) => cohorts <= MAX_COHORTS[period], {
    message: 'Parameter `cohorts` must be at most 30 for days, and at most 12 for weeks and months.',
    ...failsWith('MISSING_FIELDS'),
  })

export const retentionResponse = z
  .object({
    project: z.string(),
    period: z.enum(RETENTION_PERIODS),
    cohorts: z
      .array(
        z.object({
          date: z.string().meta({ description: 'First date of the period' }),
          users: z.int(),
          retained: z.array(z.int()),
          rates: z.array(z.number()),
        }),
      )
      .meta({ description: 'Oldest first; cohorts without users are left out' }),
    average_rates: z.array(z.number()),
    users_analyzed: z.int().meta({ description: 'At most 10 000' }),
    truncated: z.literal(true).optional(),
    total_rows: z.int().optional(),
    ...contextOfResponse,
  })
  .meta({ id: 'Retention' })
