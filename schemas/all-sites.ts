import * as z from 'zod'
import { accountTz, labelledPeriod, period, wholeNumber } from './fields.ts'
import { cut, deltaMetric } from './sessions.ts'

/** GET /account/all-sites (docs/api/insights.md). */
export const allSitesQuery = z.object({
  period,
  tz: accountTz,
  limit: wholeNumber('limit', 1, 50).default(10).meta({
    description: 'The largest number of projects',
  }),
})

export const allSitesResponse = z
  .object({
    scope: z.literal('account'),
    period: labelledPeriod,
    summary: z.object({
      total_projects: z.int().meta({ description: 'Projects that are not deleted' }),
      active_projects: z.int().meta({ description: 'Projects with an event in the current period' }),
      total_events: deltaMetric,
    }),
    time_series: z.array(z.object({ date: z.string(), events: z.int() })),
    projects: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          events: z.int(),
          share_pct: z.number().meta({ description: '0 to 100' }),
          last_active_date: z.string().nullable(),
        }),
      )
      .meta({ description: 'The active projects with the most events' }),
    remaining_projects: z.int().meta({ description: 'Active projects beyond the limit' }),
    ...cut,
  })
  .meta({ id: 'AllSites' })
