import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { contextOfResponse } from './contexts.ts'
import { documentedAs } from './documented-as.ts'
import { datedPeriod, project, questionOfMonth, wholeNumber } from './fields.ts'
import { namedProperty } from './properties.ts'

/**
 * The fields of a session by which /conversion groups people. `source` and `entry_page` are not among them:
 * the specification reads these two from the event itself.
 */
export const CONVERSION_SESSION_FIELDS = ['channel', 'referrer_host', 'exit_page', 'is_bounce'] as const

function text(name: string, example: string) {
  const message = `Parameter \`${name}\` must be the name of an event, such as \`${example}\`.`
  return z.string(message).min(1, message).max(256, message)
}

/** GET /conversion: the part of users who did something, by a value. */
export const conversionQuery = z.object({
  project,
  goal: text('goal', 'signup').meta({
    description: 'Users convert with an event of this name',
    example: 'signup',
  }),
  from: text('from', 'pricing_viewed').optional().meta({
    description:
      'Only users with an event of this name, who convert with a goal after the first one. Default: all users of the range',
    example: 'page_view',
  }),
  by: namedProperty(
    z.string(
      'Parameter `by` is missing. Name `country`, `channel`, `source`, `entry_page` or a property key.',
    ),
    { others: ['source', 'first_source', 'entry_page', ...CONVERSION_SESSION_FIELDS], takesTraits: true },
  ).meta({
    override: { type: 'string' },
    description:
      "`country`, `source` (utm_source), `first_source` (the first one ever), `entry_page`, or a property such as `device` (`properties.country` is the property of that name): its value in the user's first event of the range, or in the first `from` event; or `channel`, `referrer_host`, `exit_page` or `is_bounce` of its session; or `traits.<key>` of the user, as of now",
    example: 'country',
  }),
  min_users: wholeNumber('min_users', 1, 1_000_000).default(1).meta({
    description: 'Smaller groups are added to `other`',
  }),
  limit: wholeNumber('limit', 1, 1000).default(20).meta({ description: 'The largest number of groups' }),
  compare,
  ...questionOfMonth,
})

const counts = {
  users: z.int(),
  converted: z.int().meta({ description: 'Those of them with the goal' }),
  rate: z.number().meta({ description: 'converted / users, 0 to 1' }),
}

/** What a response has of each period. */
export const conversionOfPeriod = {
  period: datedPeriod,
  ...counts,
  values: z.array(z.object({ value: z.string(), ...counts })).meta({ description: 'Most users first' }),
  other: documentedAs(
    z.object(counts).optional(),
    'object',
    'users, converted, rate of all groups that are not listed',
  ),
  missing: documentedAs(
    z.object(counts).optional(),
    'object',
    'users, converted, rate of users whose event lacks the value',
  ),
}

export const conversionResponse = z
  .object({
    project: z.string(),
    goal: z.string(),
    from: z.string().nullable(),
    by: z.string(),
    ...conversionOfPeriod,
    previous: previousOf(conversionOfPeriod),
    ...contextOfResponse,
  })
  .meta({ id: 'Conversion' })
