import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { date, datedPeriod, failsWith, oneOf, otherGroups, project, question, wholeNumber } from './fields.ts'
import { flag } from './read-options.ts'

export const RETENTION_PERIODS = ['day', 'week', 'month'] as const
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number]

/** Most cohorts of each period (docs/api/retention.md). */
const MAX_COHORTS: Record<RetentionPeriod, number> = { day: 30, week: 12, month: 12 }

/** GET /retention (docs/api/retention.md). */
export const retentionQuery = z
  .object({
    project,
    period: oneOf('period', RETENTION_PERIODS).default('week').meta({
      description: 'The length of a cohort. Weeks begin on Monday.',
    }),
    cohorts: wholeNumber('cohorts', 1, 30).default(8).meta({
      description: 'How many periods, the current one included: at most 30 days, 12 weeks or 12 months',
    }),
    event: z.string().min(1).optional().meta({
      description:
        'Users join the cohort of their first event of this name. Default: their first session ever',
      example: 'signup',
    }),
    returning_event: z.string().min(1).optional().meta({
      description: 'What makes a user active in a later period. Default: `event`, else any session',
      example: 'page_view',
    }),
    people_of_cohort: date('people_of_cohort')
      .optional()
      .meta({ description: 'Adds `people`: who is in the cohort of this `date`', example: '2026-11-16' }),
    people_of_offset: wholeNumber('people_of_offset', 0, 29).optional().meta({
      description: 'Only those who were active so many periods after; default 0: the whole cohort',
    }),
    people_dropped: flag('people_dropped', 'true: only those who were not active in that period').optional(),
    ...question('Here it is the earliest date on which users were first seen. Default: the first cohort.'),
  })
  .refine(({ period, cohorts }) => cohorts <= MAX_COHORTS[period], {
    message: 'Parameter `cohorts` must be at most 30 for days, and at most 12 for weeks and months.',
    ...failsWith('MISSING_FIELDS'),
  })

export const retentionResponse = z
  .object({
    project: z.string(),
    period: z.enum(RETENTION_PERIODS),
    range: datedPeriod,
    cohorts: z
      .array(
        z.object({
          date: z.string().meta({ description: 'First date of the period' }),
          users: z.int(),
          retained: z.array(z.int()).meta({
            description: 'Users active in the i-th period after; the first number is the whole cohort',
          }),
          rates: z.array(z.number()).meta({ description: 'retained / users, 0 to 1' }),
        }),
      )
      .meta({ description: 'Oldest first; cohorts without users are left out' }),
    other: otherGroups({ users: z.int() }),
    average_rates: z.array(z.number()).meta({
      description: 'The mean of `rates` over the cohorts that are not cut, weighted by their users',
    }),
    users_analyzed: z.int().meta({
      description:
        'At most 10 000: of more users an even sample by a hash of their ids, and cohorts are those of the sample',
    }),
    people: z
      .array(z.object({ id: z.string(), at: z.int() }))
      .optional()
      .meta({
        description:
          'With `people_of_cohort`: users, and when they came back; of the whole cohort and of `people_dropped`, when they were first seen. Unix ms, the latest first, at most 1000',
      }),
    truncated: z.literal(true).optional().meta({ description: 'Present when there are more users' }),
    total_users: z.int().optional().meta({ description: 'All users, where they are more' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Retention' })
