import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { CONDITION_OPS } from './conditions.ts'
import { contextOfResponse } from './contexts.ts'
import { documentedAs } from './documented-as.ts'
import {
  datedPeriod,
  failsWith,
  oneOf,
  otherGroups,
  project,
  questionOfMonth,
  wholeNumber,
} from './fields.ts'
import { namedProperty } from './properties.ts'
import { SESSION_GROUPS } from './query.ts'
import { cut } from './sessions.ts'

export const MAX_STEPS = 8
const BREAKDOWN = 'Field `breakdown` must be the name of a property, such as `plan`, or `channel`.'
const WINDOW = 'Field `conversion_window_hours` must be a number from 1 to 8760.'

/**
 * POST /funnel (docs/api/funnel.md). Steps are checked by core/reports/funnel, because a project context may
 * hold them.
 */
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
      description:
        'The steps in order: an entity passes one by its first matching event after that of the step before. Default: the `activation_events` of the project context.',
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
              description: 'All must hold. An event without the property never matches.',
              items: {
                type: 'object',
                required: ['op'],
                properties: {
                  property: { type: 'string', description: 'A property key' },
                  field: { type: 'string', description: 'The same as `property`' },
                  op: { type: 'string', enum: [...CONDITION_OPS] },
                  value: {
                    description:
                      'A text, number or boolean; with `in` and `not_in` a list of 1 to 50 of them; `exists` needs none',
                  },
                },
              },
            },
          },
        },
      },
    }),
  from_context: z
    .boolean()
    .optional()
    .meta({ description: 'true: use the `activation_events` of the project context, also beside `steps`' }),
  conversion_window_hours: z
    .number(WINDOW)
    .refine(hours => hours >= 1 && hours <= 8760, WINDOW)
    .meta({ override: { type: 'number', minimum: 1, maximum: 8760 } })
    .default(168)
    .meta({ description: 'Hours from the event of step 1 within which the last step must be passed' }),
  ...questionOfMonth,
  compare,
  count_by: oneOf('count_by', ['user_id', 'session_id']).default('user_id').meta({
    description: 'Who passes the steps: users, or single sessions',
  }),
  breakdown: namedProperty(z.string(BREAKDOWN), { others: SESSION_GROUPS, takesTraits: true })
    .meta({ override: { type: 'string' } })
    .optional()
    .meta({
      description:
        'Adds the same steps for each value of this property (or `country`) of the step-1 event, of `channel`, `source`, `referrer_host`, `entry_page`, `exit_page` or `is_bounce` of its session, or of `traits.<key>` of its user as of now',
    }),
  breakdown_limit: wholeNumber('breakdown_limit', 1, 50)
    .default(10)
    .meta({ description: 'The largest number of values of `breakdown`' }),
  people_of_step: wholeNumber('people_of_step', 1, MAX_STEPS).optional().meta({
    description: 'Adds `people`: who passed this step, from 1',
  }),
  people_dropped: z
    .boolean('Field `people_dropped` must be true or false.')
    .optional()
    .meta({ description: 'true: only those of them who did not pass the next step' }),
})

/** Entities that `people` has at most. */
export const MAX_PEOPLE = 1_000

const rate = z.number().meta({ description: '0 to 1' })

const stepResult = {
  step: z.int().meta({ description: 'From 1' }),
  event: z.string(),
  users: z.int().meta({ description: 'Entities that passed this step and all before it' }),
  conversion_rate: z
    .number()
    .meta({ description: 'Of the entities of the step before, 0 to 1; 1 for step 1' }),
  drop_off_rate: rate,
  avg_time_to_next_ms: z.int().nullable().meta({
    description:
      'Mean time to the next step of those who passed it; null: nobody did, or it is the last step',
  }),
  // Names that clients of other versions read.
  strict_survivors: z.int().meta({ description: 'The same as `users`' }),
  conversion_from_previous: z.number().meta({ description: 'The same as `conversion_rate`' }),
  conversion_rates: documentedAs(
    z.object({ from_previous: rate, from_first: rate }),
    'object',
    'from_previous (`conversion_rate` again) and from_first',
  ),
}

const funnelStep = z.object({
  ...stepResult,
  raw_activity: z
    .object({ event_count: z.int(), unique_users: z.int() })
    .meta({ description: 'All matching events of the range, whatever their order' }),
  joinable_entities: z.int().meta({ description: 'Entities with a matching event, whatever its order' }),
})

/** What a response has of each period. */
export const funnelOfPeriod = {
  period: datedPeriod,
  steps: z.array(funnelStep),
  overall_conversion_rate: rate,
  conversion_rates: documentedAs(
    z.object({ overall: rate, by_step: z.array(rate) }),
    'object',
    'The same rates again: overall, by_step',
  ),
  breakdowns: z
    .array(
      z.object({
        value: z.string().nullable().meta({ description: 'null: the step-1 event lacks the property' }),
        steps: documentedAs(
          z.array(z.object(stepResult)),
          'objects',
          'As `steps`, without raw_activity and joinable_entities',
        ),
        overall_conversion_rate: rate,
      }),
    )
    .optional(),
  other: otherGroups({ users: z.int() }),
  ...cut,
}

export const funnelResponse = z
  .object({
    project: z.string(),
    ...funnelOfPeriod,
    previous: previousOf(funnelOfPeriod),
    steps_source: z.enum(['request.steps', 'project_context.activation_events']),
    identity_basis: z.enum(['resolved_user_id_or_user_id', 'session_id']),
    count_by: z.enum(['user_id', 'session_id']),
    conversion_window_hours: z.number(),
    warnings: z
      .array(z.string())
      .meta({ description: 'What is wrong with this funnel, such as a step that nobody can pass' }),
    caveats: z.array(z.string()).meta({ description: 'How to read the numbers' }),
    people: z
      .array(
        z.object({
          id: z.string(),
          at: z.int().meta({ description: 'When it passed the step, Unix ms' }),
          session_id: z
            .string()
            .nullable()
            .meta({ description: 'The session of the event with which it did' }),
          replay_count: z.int().meta({ description: 'Replays of that session' }),
        }),
      )
      .optional()
      .meta({ description: 'With `people_of_step`: users or sessions, the latest first, at most 1000' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Funnel' })
