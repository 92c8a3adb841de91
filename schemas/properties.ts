import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { contextOfResponse } from './contexts.ts'
import {
  datedPeriod,
  eventName,
  failsWith,
  otherGroups,
  project,
  questionOfWeek,
  uniqueUsers,
  wholeNumber,
} from './fields.ts'
import { isTimeField, KEY_RULE, keyOf, oneSpelling, propertyInstead, traitKey } from './property-names.ts'
import { cut } from './sessions.ts'

/** Event names, and property keys, that a list has at most (U62). */
export const MAX_LISTED = 1_000

const dated = { project, ...questionOfWeek }

/**
 * The name of a property, or of a field of the event with text, in one spelling. `others`: further names that
 * the report knows. `takesTraits`: whether it knows those of traits (U154).
 */
export function namedProperty(
  text: z.ZodString,
  { others = [], takesTraits = false }: { others?: readonly string[]; takesTraits?: boolean } = {},
) {
  return text
    .transform(name => oneSpelling(name, others))
    .refine(name => takesTraits || traitKey(name) === undefined, {
      error: ({ input }) =>
        `\`${input}\` is of a person, not of an event. POST /query groups by it, and \`where\` asks for it.`,
      ...failsWith('INVALID_PROPERTY_KEY'),
      abort: true,
    })
    .refine(name => keyOf(name) !== undefined || traitKey(name) !== undefined, {
      message: `A property key must be ${KEY_RULE}.`,
      ...failsWith('INVALID_PROPERTY_KEY'),
    })
    .refine(name => !isTimeField(name), {
      error: ({ input }) => `${propertyInstead(String(input))} POST /query groups by \`date\`.`,
      ...failsWith('INVALID_PROPERTY_KEY'),
    })
}

export const propertyKey = namedProperty(
  z.string('Parameter `property` is missing. Name a property key such as `path`.'),
).meta({
  override: { type: 'string' },
  description:
    'A property key, or `country`, `event`, `user_id` or `session_id` of the event; `properties.x` is always the property, and `properties["a.b"]` that of any key. GET /properties lists the keys.',
  example: 'path',
})

export const breakdownQuery = z.object({
  ...dated,
  property: propertyKey,
  event: eventName,
  limit: wholeNumber('limit', 1, 1000).default(20).meta({ description: 'The largest number of values' }),
  compare,
})

/** What a response has of each period. */
export const breakdownOfPeriod = {
  period: datedPeriod,
  values: z
    .array(z.object({ value: z.string(), count: z.int(), unique_users: uniqueUsers }))
    .meta({ description: 'Most frequent first' }),
  total_events: z.int().meta({ description: 'Events of the range, after the event filter' }),
  total_with_property: z.int().meta({ description: 'Those of them that have the property' }),
  other: otherGroups({ count: z.int() }),
  ...cut,
}

export const breakdownResponse = z
  .object({
    project: z.string(),
    ...breakdownOfPeriod,
    previous: previousOf(breakdownOfPeriod),
    property: z.string(),
    event: z.string().nullable(),
    ...contextOfResponse,
  })
  .meta({ id: 'Breakdown' })

export const propertiesQuery = z.object(dated)

export const propertiesResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    events: z
      .array(
        z.object({
          event: z.string(),
          count: z.int(),
          unique_users: uniqueUsers,
          first_seen: z.string(),
          last_seen: z.string(),
        }),
      )
      .meta({ description: 'The most frequent first, at most 1000' }),
    property_keys: z.array(z.string()).meta({
      description:
        'Keys of the newest 5000 events of the range, at most the 1000 most frequent, sorted; as requests name them, so `properties["a.b"]` for `a.b`',
    }),
    truncated: z.literal(true).optional().meta({
      description: 'Present when the range has more than 5000 events, or a list more than 1000 entries',
    }),
    total_rows: z.int().optional().meta({
      description: 'Event names and property keys together, when a list has more than 1000 of them',
    }),
    ...contextOfResponse,
  })
  .meta({ id: 'Properties' })

export const receivedPropertiesQuery = z.object({
  ...dated,
  sample: wholeNumber('sample', 100, 10_000)
    .default(5_000)
    .meta({ description: 'How many of the newest events are looked at' }),
})

export const receivedPropertiesResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    sample_size: z.int().meta({ description: 'Events that were looked at, the newest ones' }),
    since: z.string().meta({ description: 'First date of the range' }),
    properties: z.array(z.object({ key: z.string(), event: z.string() })).meta({
      description:
        'At most the 5000 most frequent pairs, of at most 1000 keys and 1000 events; sorted by key, then event',
    }),
    truncated: z.literal(true).optional().meta({
      description: 'Present when the range has more events than `sample`, or `properties` is cut',
    }),
    total_rows: z.int().optional().meta({ description: 'All pairs of the sample, when `properties` is cut' }),
    ...contextOfResponse,
  })
  .meta({ id: 'ReceivedProperties' })
