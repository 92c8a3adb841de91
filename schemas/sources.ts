import * as z from 'zod'
import { CHANNELS } from './channels.ts'
import { compare, previousOf } from './compare.ts'
import { contextOfResponse } from './contexts.ts'
import { documentedAs } from './documented-as.ts'
import {
  bounceRate,
  datedPeriod,
  oneOf,
  project,
  questionOfWeek,
  sessionCount,
  wholeNumber,
} from './fields.ts'

export const SOURCE_GROUPS = [
  ...(['channel', 'source', 'referrer', 'campaign', 'content', 'landing_page'] as const),
] as const

/** Characters of a currency, and of the name of a goal. */
const [CURRENCY, MAX_NAME] = [/^[A-Za-z]{3}$/, 256]
const GOAL = 'Parameter `goal` must be the name of an event, such as `signup`.'
const CURRENCY_FORM = 'Parameter `currency` must have three letters, such as `EUR`.'

/** GET /sources: sessions by where they came from. */
export const sourcesQuery = z.object({
  project,
  by: oneOf('by', SOURCE_GROUPS).default('channel').meta({
    description: 'What sessions are grouped by, of the first event of each that has a page',
  }),
  goal: z.string(GOAL).min(1, GOAL).max(MAX_NAME, GOAL).optional().meta({
    description: 'A session converts with an event of this name. Adds `conversions` and the sums',
    example: 'signup',
  }),
  currency: z
    .string(CURRENCY_FORM)
    .regex(CURRENCY, CURRENCY_FORM)
    .transform(text => text.toUpperCase())
    .optional()
    .meta({
      override: { type: 'string' },
      description: 'With `goal`: only values of this currency are added',
    }),
  compare,
  limit: wholeNumber('limit', 1, 1000).default(50).meta({ description: 'The largest number of rows' }),
  ...questionOfWeek,
})

const numbers = {
  sessions: sessionCount,
  people: z.int().meta({ description: 'Different persons of these sessions' }),
  bounces: z.int(),
  bounce_rate: bounceRate,
  avg_duration: z.int().meta({ description: 'ms' }),
  avg_pages: z.number().meta({ description: 'Page views per session' }),
  conversions: z.int().optional().meta({ description: 'With `goal`: sessions that have such an event' }),
  conversion_rate: z.number().optional().meta({ description: 'conversions / sessions, 0 to 1' }),
  sum_value: z.number().nullable().optional().meta({
    description:
      'With `goal`: the property `value` of all such events of these sessions, added; null without any, and where they have several currencies',
  }),
  currency: z.string().nullable().optional().meta({
    description: 'Of `sum_value`: the property `currency`; null where the events name none, or several',
  }),
  by_currency: documentedAs(
    z.array(z.object({ currency: z.string().nullable(), sum_value: z.number().nullable() })).optional(),
    'objects',
    'Where they have several: currency (null: the events name none) and sum_value of each',
  ),
}

/** What a response has of each period. */
export const sourcesOfPeriod = {
  period: datedPeriod,
  total: z.object(numbers),
  rows: z
    .array(
      z.object({
        value: z.string().nullable().meta({ description: 'null: sessions without one' }),
        channel: z.enum(CHANNELS).nullable().optional().meta({
          description:
            'With `by=source` and `by=referrer`: the channel of all these sessions; null: of several',
        }),
        ...numbers,
      }),
    )
    .meta({ description: 'Most sessions first' }),
  other: z
    .object({ values: z.int(), sessions: sessionCount, bounces: z.int(), conversions: z.int().optional() })
    .optional()
    .meta({ description: 'The values that `limit` cuts, and their sums' }),
}

/** The response of docs/api/sources.md. */
export const sourcesResponse = z
  .object({
    project: z.string(),
    by: z.enum(SOURCE_GROUPS),
    goal: z.string().nullable(),
    rules_version: z.int().meta({ description: 'Of the rules that name channels and sources' }),
    ...sourcesOfPeriod,
    previous: previousOf(sourcesOfPeriod),
    ...contextOfResponse,
  })
  .meta({ id: 'Sources' })

type Sum = { currency: string | null; sum_value: number | null }
type Summed = { by_currency?: Sum[] | undefined }

/** The sums of the rows that have several currencies, and those of all sessions, as rows of a table. */
export function sumsByCurrency({
  total,
  rows,
}: {
  total: Summed
  rows: readonly (Summed & { value: string | null })[]
}): ({ value: string } & Sum)[] {
  const named = [...rows.map(row => ({ ...row, value: row.value ?? '(none)' })), { ...total, value: '(all)' }]
  return named.flatMap(({ value, by_currency = [] }) => by_currency.map(sum => ({ value, ...sum })))
}
