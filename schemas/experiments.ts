import * as z from 'zod'
import { caveats } from './caveats.ts'
import { failsWith, project } from './fields.ts'
import { DEFAULT_SMALLEST_EFFECT } from './smallest-effect.ts'

/**
 * Experiments (docs/api/experiments.md). core/experiments/variants.ts checks variants and weights, because
 * they belong together.
 */

export const EXPERIMENT_STATUSES = ['active', 'paused', 'completed'] as const
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number]

/** The name of the event that says which variant a user got (docs/api/experiments.md). */
export const EXPOSURE_EVENT = '$experiment_exposure'

/** Names of experiments and keys of variants. */
export const EXPERIMENT_WORD = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Bounds of `smallest_effect`. Below 1 % no site has enough users. An effect of more than 100 % shows itself
 * in the smallest planned size.
 */
const EFFECT_BOUNDS = { min: 0.01, max: 1 }
/**
 * Bounds of `planned_size`. From 100 users on the error rates of the rule hold
 * (docs/decisions/2026-11-29-experiments.md). 100 million are more users than a site has.
 */
export const PLANNED_SIZE_BOUNDS = { min: 100, max: 100_000_000 }

const EFFECT_RULE = `Field \`smallest_effect\` must be a lift from ${EFFECT_BOUNDS.min} to ${EFFECT_BOUNDS.max}, such as 0.2 for 20 %.`
const SIZE_RULE = `Field \`planned_size\` must be a whole number of users from ${PLANNED_SIZE_BOUNDS.min} to ${PLANNED_SIZE_BOUNDS.max}.`
const NAME_RULE = 'Field `name` must have 1 to 64 characters of `A-Z a-z 0-9 _ -`.'
const GOAL_RULE = 'Field `goal_event` must be an event name of 1 to 256 characters.'
const STATUS_RULE = 'Field `status` must be `active`, `paused` or `completed`.'
const WINNER_RULE = 'Field `winner` must be the key of a variant of the experiment.'

export const experimentsQuery = z.object({ project })

export const createExperiment = z.object({
  project,
  name: z
    .string(NAME_RULE)
    .regex(EXPERIMENT_WORD, NAME_RULE)
    .meta({ description: 'Unique in the project. The page uses it.', example: 'signup_cta' }),
  variants: z
    .unknown()
    .refine(value => value !== undefined, 'Field `variants` is missing. Send 2 to 4 keys of variants.')
    .meta({
      description:
        'The variants; the first one is the baseline. Keys, or objects with a key and a weight. Without weights all shares are equal.',
      override: {
        type: 'array',
        minItems: 2,
        maxItems: 4,
        items: {
          anyOf: [
            { type: 'string', pattern: EXPERIMENT_WORD.source },
            {
              type: 'object',
              required: ['key'],
              properties: {
                key: { type: 'string', pattern: EXPERIMENT_WORD.source },
                weight: { type: 'integer', minimum: 0, maximum: 100 },
              },
            },
          ],
        },
        examples: [['control', 'start_free']],
      },
    }),
  goal_event: z
    .string(GOAL_RULE)
    .min(1, GOAL_RULE)
    .max(256, GOAL_RULE)
    .meta({ description: 'The event that counts as a conversion', example: 'signup' }),
  weights: z
    .unknown()
    .optional()
    .meta({
      description: 'The share of each variant in percent, in the order of `variants`. They add up to 100.',
      override: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 100 } },
    }),
  smallest_effect: z
    .number(EFFECT_RULE)
    .min(EFFECT_BOUNDS.min, EFFECT_RULE)
    .max(EFFECT_BOUNDS.max, EFFECT_RULE)
    .optional()
    .meta({
      description: `The smallest lift of interest: 0.1 is 10 %. The planned size follows from it and from the conversion rate. Default without \`planned_size\`: ${DEFAULT_SMALLEST_EFFECT}`,
      example: 0.1,
    }),
  planned_size: z
    .int(SIZE_RULE)
    .min(PLANNED_SIZE_BOUNDS.min, SIZE_RULE)
    .max(PLANNED_SIZE_BOUNDS.max, SIZE_RULE)
    .optional()
    .meta({
      description: 'The users that every variant needs before a decision. Default: from `smallest_effect`',
    }),
})

export const updateExperiment = z.object({
  status: z
    .unknown()
    .refine(value => value !== undefined, 'Field `status` is missing. Send the new status.')
    .refine(value => (EXPERIMENT_STATUSES as readonly unknown[]).includes(value), {
      message: STATUS_RULE,
      ...failsWith('INVALID_EXPERIMENT_STATUS'),
    })
    .transform(value => value as ExperimentStatus)
    .meta({
      description: 'The new status. `completed` is final.',
      override: { type: 'string', enum: [...EXPERIMENT_STATUSES] },
    }),
  winner: z
    .unknown()
    .refine(value => value === undefined || typeof value === 'string', {
      message: WINNER_RULE,
      ...failsWith('INVALID_VARIANTS'),
    })
    .transform(value => value as string | undefined)
    .optional()
    .meta({
      description:
        'The variant that has won, with `completed`. Default: that of the highest `probability_best`.',
      override: { type: 'string' },
    }),
})

const variant = z.object({
  key: z.string(),
  weight: z.int().meta({ description: 'Share of the users in percent' }),
})

/** The record of docs/api/experiments.md. */
export const experimentRecord = z
  .object({
    id: z.string().meta({ example: 'exp_0123456789abcdef' }),
    project_id: z.string(),
    account_id: z.string(),
    name: z.string(),
    variants: z.array(variant),
    goal_event: z.string(),
    status: z.enum(EXPERIMENT_STATUSES),
    winner: z.string().nullable().meta({ description: 'null before the experiment is completed' }),
    created_at: z.string().meta({ description: 'ISO 8601' }),
    updated_at: z.string().meta({ description: 'ISO 8601' }),
    completed_at: z.string().nullable().meta({ description: 'ISO 8601' }),
    started_at: z.string().meta({ description: 'ISO 8601. The results begin here: at the creation' }),
    ended_at: z
      .string()
      .nullable()
      .meta({ description: 'ISO 8601. The results end here: at the completion. null before it' }),
    smallest_effect: z
      .number()
      .nullable()
      .meta({ description: 'As asked at creation, or the default. null if only `planned_size` was asked' }),
    planned_size: z.int().nullable().meta({
      description: 'As asked at creation. null: `results.plan.size` follows from `smallest_effect`',
    }),
  })
  .meta({ id: 'Experiment' })

export type ExperimentRecord = z.infer<typeof experimentRecord>

const numberOfVariant = z.record(z.string(), z.number())
const intervalOfVariant = z.record(z.string(), z.array(z.number()).length(2))

const plan = z.object({
  size: z.int().nullable().meta({
    description: 'The users that every variant needs. null while too few have converted to know it',
  }),
  smallest_effect: z.number().nullable().meta({
    description: 'The lift that the size finds with a power of 80 %: as asked, or what follows from the size',
  }),
  first_exposure_at: z.string().nullable().meta({ description: 'ISO 8601. The 7 days begin here' }),
  decides_at: z.string().nullable().meta({
    description:
      'ISO 8601. With `keep_running`: when days and size will be reached at the pace so far; after that, when a decision comes at the latest. null: unknown, or over a year',
  }),
  rule: z.string().meta({ description: 'The rule of `decision` with its numbers, in words' }),
})

export const experimentResults = z
  .object({
    variants: z.array(
      z.object({
        key: z.string(),
        exposures: z.int().meta({ description: 'Exposure events, without forced ones' }),
        unique_users: z.int().meta({ description: 'Users whose first exposure was to this variant' }),
        conversions: z
          .int()
          .meta({ description: 'Those of them with the goal event at or after their first exposure' }),
        conversion_rate: z.number().meta({ description: '0 to 1' }),
      }),
    ),
    probability_best: numberOfVariant.meta({
      description:
        'The probability that a variant has the highest conversion rate of all, 0 to 1, by its key',
    }),
    lift: numberOfVariant.meta({
      description:
        'How much higher the conversion rate of a variant is than that of the first one: 0.5 is 50 % more. For the first variant: than that of the best other one',
    }),
    lift_interval: intervalOfVariant.meta({
      description:
        'The interval that has the lift with a probability of 95 %: [low, high], by the key of the variant. For one look; `decision` needs more',
    }),
    decision_interval: intervalOfVariant.meta({
      description:
        'The same with the probability that `decision` needs, 99.7 % with two variants: so its errors stay below 5 % with a look every day',
    }),
    decision: z.string().meta({
      description:
        '`check_assignment`: the users do not fit the weights. `keep_running`: until `plan.decides_at`. `ship:<key>`: the decision interval excludes zero, 7 whole days have passed and every variant has the planned size. `no difference`: then none is better by the smallest effect. `undecided`: it was completed before that',
    }),
    plan,
    sufficient_data: z.boolean().meta({ description: 'Whether every variant has at least 100 exposures' }),
    recommendation: z.string(),
  })
  .meta({ id: 'ExperimentResults' })

export type ExperimentResults = z.infer<typeof experimentResults>

export const experimentList = z
  .object({ experiments: z.array(experimentRecord) })
  .meta({ id: 'ExperimentList' })

export const experimentWithResults = experimentRecord
  .extend({
    results: experimentResults.meta({
      description: 'From the creation of the experiment to its completion, or to now',
    }),
    caveats: caveats.optional(),
  })
  .meta({ id: 'ExperimentWithResults' })
