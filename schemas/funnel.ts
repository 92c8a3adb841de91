import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { datedPeriod, days, failsWith, oneOf, project, since, tz, wholeNumber } from './fields.ts'
import { propertyKey } from './properties.ts'

export const FUNNEL_OPS = ['eq', 'neq', 'contains', 'gt', 'gte', 'lt', 'lte', 'prefix', 'in'] as const
export const MAX_STEPS = 8

const WINDOW = 'Field `conversion_window_hours` must be a number from 1 to 8760.'

/** POST /funnel (contract 2.2). Steps are checked by core/reports/funnel, because a project context may hold them. */
export const funnelBody = z.object({
  project,
  steps: z
    .unknown()
    .refine(value => Array.isArray(value), {
      message: 'Field `steps` must be an array of 2 to 8 steps.',
      ...failsWith('INVALID_FUNNEL_STEPS'),
    })
    .transform(value => value as unknown[])
    .optional()
    .meta({
      override: {
        type: 'array',
        minItems: 2,
        maxItems: MAX_STEPS,
        items: {
          type: 'object',
          required: ['event'],
          properties: {
            event: { type: 'string', minLength: 1, maxLength: 256 },
            filters: {
              type: 'array',
              items: {
                type: 'object',
                required: ['op', 'value'],
                properties: {
                  property: { type: 'string', description: 'A property key; or send `field`' },
                  field: { type: 'string', description: 'properties.<key>' },
                  op: { type: 'string', enum: [...FUNNEL_OPS] },
                  value: {},
                },
              },
            },
          },
        },
      },
    }),
  from_context: z.boolean().optional(),
  conversion_window_hours: z
    .number(WINDOW)
    .refine(hours => hours >= 1 && hours <= 8760, WINDOW)
    .default(168),
  since: since.optional(),
  days: days.optional(),
  tz,
  count_by: oneOf('count_by', ['user_id', 'session_id']).default('user_id'),
  breakdown: propertyKey.optional(),
  breakdown_limit: wholeNumber('breakdown_limit', 1, 50).default(10),
})

const rate = z.number().meta({ description: '0 to 1' })

const stepResult = {
  step: z.int(),
  event: z.string(),
  users: z.int(),
  strict_survivors: z.int(),
  conversion_rate: rate,
  conversion_from_previous: rate,
  drop_off_rate: rate,
  avg_time_to_next_ms: z.int().nullable(),
  conversion_rates: z.object({ from_previous: rate, from_first: rate }),
}

const funnelStep = z.object({
  ...stepResult,
  raw_activity: z.object({ event_count: z.int(), unique_users: z.int() }),
  joinable_entities: z.int(),
})

export const funnelResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    steps_source: z.enum(['request.steps', 'project_context.activation_events']),
    identity_basis: z.enum(['resolved_user_id_or_user_id', 'session_id']),
    count_by: z.enum(['user_id', 'session_id']),
    conversion_window_hours: z.number(),
    steps: z.array(funnelStep),
    overall_conversion_rate: rate,
    conversion_rates: z.object({ overall: rate, by_step: z.array(rate) }),
    warnings: z.array(z.string()),
    caveats: z.array(z.string()),
    breakdowns: z
      .array(
        z.object({
          value: z.string().nullable(),
          steps: z.array(z.object(stepResult)),
          overall_conversion_rate: rate,
        }),
      )
      .optional(),
    truncated: z.literal(true).optional(),
    total_rows: z.int().optional(),
    ...contextOfResponse,
  })
  .meta({ id: 'Funnel' })
