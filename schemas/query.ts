import * as z from 'zod'
import { compare, previousOf } from './compare.ts'
import { type AskedCondition, CONDITION_OPS, type Condition, faultOf, segmentsIn } from './conditions.ts'
import { contextOfResponse } from './contexts.ts'
import type { ErrorCode } from './errors.ts'
import { datedPeriod, failsWith, limit, oneOf, project, questionOfWeek } from './fields.ts'
import { parseJson } from './json-depth.ts'
import { keyOf, oneField, PROPERTY_PATTERN, prefixedKey, TRAIT_PATTERN, traitKey } from './property-names.ts'
import { cut } from './sessions.ts'

export const METRICS = [
  'event_count',
  'unique_users',
  'session_count',
  'bounce_rate',
  'single_page_rate',
  'avg_duration',
] as const
export const NUMERIC_METRICS = ['sum', 'avg', 'min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99'] as const
export const GROUP_FIELDS = ['event', 'date', 'user_id', 'session_id', 'country'] as const
/** Fields of `group_by` that are computed: of the time of the event, and of its session. */
export const TIME_GROUPS = ['hour', 'weekday'] as const
export const SESSION_GROUPS = [
  ...(['channel', 'source', 'referrer_host'] as const),
  ...(['entry_page', 'exit_page', 'is_bounce'] as const),
] as const
export const DERIVED_GROUPS: readonly string[] = [...TIME_GROUPS, ...SESSION_GROUPS]

/** Whether a field of `group_by` is computed, or a trait of the person of the event. */
export function isDerivedGroup(field: string): boolean {
  return DERIVED_GROUPS.includes(field) || traitKey(field) !== undefined
}

export const COUNT_MODES = ['session_then_user', 'raw'] as const
const ORDER_FIELDS = ['event_count', 'unique_users', 'session_count', 'date', 'event'] as const

/**
 * Metrics of a condition. `of`: who has an event that passes. `as`: whether it is their part or their number.
 */
const RATES = {
  rate: { of: 'people', as: 'part' },
  session_rate: { of: 'sessions', as: 'part' },
  people: { of: 'people', as: 'number' },
  sessions: { of: 'sessions', as: 'number' },
} as const
export type Rate = (typeof RATES)[keyof typeof RATES]

const METRIC = new RegExp(
  `^(${METRICS.join('|')}|(${NUMERIC_METRICS.join('|')}|unique)\\(([A-Za-z0-9_]{1,128}|${PROPERTY_PATTERN})\\)|(${Object.keys(RATES).join('|')})\\(\\{[\\s\\S]*\\}\\))$`,
)
const GROUP = new RegExp(
  `^(${[...GROUP_FIELDS, ...DERIVED_GROUPS].join('|')}|${PROPERTY_PATTERN}|${TRAIT_PATTERN})$`,
)
/** A metric of the values of a property. */
const OF_PROPERTY = /^([a-z0-9]+)\(([\s\S]*)\)$/
const RATE = new RegExp(`^(${Object.keys(RATES).join('|')})\\(([\\s\\S]*)\\)$`)
/** Characters of a rate, as of a condition in a query string. */
const MAX_RATE_CHARS = 16_384

/** What a metric of a condition counts; null for another metric. */
export function rateOf(metric: string): (Rate & { condition: Condition }) | null {
  const [, name, text = ''] = RATE.exec(metric) ?? []
  if (name === undefined || text.length > MAX_RATE_CHARS) return null
  const condition = parseRate(text)
  return condition === null ? null : { ...RATES[name as keyof typeof RATES], condition }
}

type PropertyMetric = { statistic: (typeof NUMERIC_METRICS)[number] | 'unique'; key: string }

/** What `sum(value)` and the like compute, and the key of the property; null for another metric. */
export function propertyMetricOf(metric: string): PropertyMetric | null {
  const [, name, field = ''] = OF_PROPERTY.exec(metric) ?? []
  const statistic = ([...NUMERIC_METRICS, 'unique'] as const).find(each => each === name)
  const key = keyOf(field)
  return statistic === undefined || key === undefined ? null : { statistic, key }
}

/** The same, of a metric that reads the values as numbers. */
export function numericOf(metric: string): PropertyMetric | null {
  const asked = propertyMetricOf(metric)
  return asked?.statistic === 'unique' ? null : asked
}

/** A pattern alone lets more texts through than the parsers of rates and of properties. */
function isMetric(text: string): boolean {
  return METRICS.some(each => each === text) || propertyMetricOf(text) !== null || rateOf(text) !== null
}

function isGroup(text: string): boolean {
  if (text.startsWith('traits')) return traitKey(text) !== undefined
  return !text.startsWith('properties') || prefixedKey(text) !== undefined
}

function areRatesFew(metrics: readonly string[]): boolean {
  const rates = metrics.filter(each => RATE.test(each))
  const chars = rates.reduce((sum, { length }) => sum + length, 0)
  return chars <= MAX_RATE_CHARS && faultOf(...rates.map(each => rateOf(each)?.condition)) === null
}

/** A rate names no segment: the name of a metric says what it counts. */
function parseRate(text: string): Condition | null {
  try {
    const condition = parseJson(text)
    if (faultOf(condition) !== null) return null
    return segmentsIn(condition as AskedCondition).length === 0 ? (condition as Condition) : null
  } catch {
    return null
  }
}

/** The engine needs seconds to plan a statement with more of them. */
const [MAX_METRICS, MAX_GROUPS] = [50, 20]
/** Those of the session cost one more scan of the events, those of people one of the traits. */
const MAX_DERIVED_GROUPS = 4
/** Filters of a query, or of all steps of a funnel. */
export const MAX_FILTERS = 100

/** A query that is too large for the engine says what to ask instead. */
function atMost(name: string, most: number) {
  const message = `Field \`${name}\` has more than ${most} entries. Send several queries with fewer of them.`
  return [(list: unknown[]) => list.length <= most, { message, ...failsWith('QUERY_FAILED') }] as const
}

/**
 * A list whose container has the code INVALID_BODY (U41), and whose entries have a code of their own.
 * `fewest` and `most`: how many entries it may have.
 */
function listOf(
  name: string,
  {
    entry,
    code,
    allowed,
    fewest,
    most,
    description,
    accepts = () => true,
    spelled = text => text,
  }: {
    entry: RegExp
    accepts?: (text: string) => boolean
    /** The one spelling of an entry. */
    spelled?: (text: string) => string
    code: ErrorCode
    allowed: string
    fewest: 0 | 1
    most: number
    description: string
  },
) {
  return z
    .unknown()
    .refine(value => Array.isArray(value), {
      message: `Field \`${name}\` must be an array.`,
      ...failsWith('INVALID_BODY'),
      abort: true,
    })
    .transform(value => value as unknown[])
    .refine(list => list.every(value => typeof value === 'string' && entry.test(value) && accepts(value)), {
      message: `Field \`${name}\` holds a value that is not allowed. Use ${allowed}.`,
      ...failsWith(code),
    })
    .refine(list => list.length >= fewest, {
      message: `Field \`${name}\` is empty. Name at least one of ${allowed}, or leave the field out.`,
      ...failsWith(code),
    })
    .transform(list => [...new Set((list as string[]).map(spelled))])
    .refine(...atMost(name, most))
    .meta({
      description,
      override: {
        type: 'array',
        minItems: fewest,
        maxItems: most,
        items: { type: 'string', pattern: entry.source },
      },
    })
}

/**
 * POST /query (docs/api/query.md, docs/api/reads.md). Filters are checked by core/reports/query, because
 * their error lists the properties.
 */
export const queryBody = z.object({
  project,
  metrics: listOf('metrics', {
    entry: METRIC,
    accepts: isMetric,
    code: 'INVALID_METRIC',
    allowed: `${METRICS.join(', ')}, or sum, avg, min, max, p50, p75, p90, p95, p99, unique of a property such as sum(value), or rate, session_rate, people, sessions of a condition such as rate({"field":"event","op":"eq","value":"signup"})`,
    fewest: 1,
    most: MAX_METRICS,
    description:
      'What to compute for each group. `event_count` follows `count_mode`. `bounce_rate`, `single_page_rate` and `avg_duration` are of the sessions with an event in the group. `sum`, `avg`, `min`, `max`, `p50`, `p75`, `p90`, `p95`, `p99` of a property, such as `sum(value)`, use numbers only. `unique(plan)` counts different values. `rate({condition})` is the part of the people, `session_rate({condition})` of the sessions, with an event that passes; `people({condition})` and `sessions({condition})` are their numbers.',
  })
    .refine(areRatesFew, {
      message: `Field \`metrics\` has rates with more than 100 conditions, or ${MAX_RATE_CHARS} characters, together. Send several queries.`,
      ...failsWith('QUERY_FAILED'),
    })
    .default(['event_count']),
  group_by: listOf('group_by', {
    entry: GROUP,
    accepts: isGroup,
    spelled: oneField,
    code: 'INVALID_GROUP_BY',
    allowed: `${[...GROUP_FIELDS, ...DERIVED_GROUPS].join(', ')}, a property such as properties.plan, or a trait such as traits.plan`,
    fewest: 0,
    most: MAX_GROUPS,
    description:
      'What makes the groups: event, date, hour, weekday, user_id, session_id, country, a property such as `properties.plan` or `properties["a.b"]`, or of the session channel, source, referrer_host, entry_page, exit_page, is_bounce, or of the person `traits.plan` or `traits["a.b"]` as of now. Without it there is one row.',
  })
    .refine(list => list.filter(isDerivedGroup).length <= MAX_DERIVED_GROUPS, {
      message: `Field \`group_by\` has more than ${MAX_DERIVED_GROUPS} of ${DERIVED_GROUPS.join(', ')} and traits. Send several queries with fewer of them.`,
      ...failsWith('QUERY_FAILED'),
    })
    .default([]),
  filters: z
    .unknown()
    .refine(value => Array.isArray(value), {
      message: 'Field `filters` must be an array.',
      ...failsWith('INVALID_BODY'),
    })
    .transform(value => value as unknown[])
    .refine(...atMost('filters', MAX_FILTERS))
    .meta({
      description:
        'Only events for which all filters hold. An event without the field never matches, not even `neq`. `contains` ignores case.',
      override: {
        type: 'array',
        maxItems: MAX_FILTERS,
        items: {
          type: 'object',
          required: ['field', 'op'],
          properties: {
            field: {
              type: 'string',
              description:
                'event, user_id, session_id, country, date, hour, weekday, timestamp (Unix ms or ISO 8601), `properties.<key>` or `properties["any key"]`; of the session channel, source, referrer_host, entry_page, exit_page, is_bounce, duration; of the person is_new, `traits.<key>`',
              examples: ['properties.path'],
            },
            op: { type: 'string', enum: [...CONDITION_OPS] },
            value: { description: 'A text, number or boolean; with `in` and `not_in` a list of them' },
          },
        },
      },
    })
    .default([]),
  ...questionOfWeek,
  count_mode: z
    .unknown()
    .refine(value => (COUNT_MODES as readonly unknown[]).includes(value), {
      message: 'Field `count_mode` must be `session_then_user` or `raw`.',
      ...failsWith('INVALID_COUNT_MODE'),
    })
    .transform(value => value as (typeof COUNT_MODES)[number])
    .meta({ override: { type: 'string', enum: [...COUNT_MODES] } })
    .default('session_then_user')
    .meta({
      description:
        'How `event_count` counts (/numbers.md#count-modes-of-query): `raw` events, or sessions, then users without a session, then events with neither.',
    }),
  order_by: oneOf('order_by', ORDER_FIELDS).optional().meta({
    description:
      'A field of `group_by` or `metrics`. Default: the date where it is a group, else the first metric',
  }),
  order: oneOf('order', ['asc', 'desc']).default('desc').meta({ description: 'The direction of the order' }),
  limit,
  email: z.string().optional().meta({
    description: 'Only events of users identified with this address, none if it is unknown',
  }),
  compare,
})

const queryRow = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** What a response has of each period. */
export const queryOfPeriod = {
  period: datedPeriod,
  rows: z.array(queryRow).meta({
    description:
      'Each row has the fields of `group_by` and then `metrics`. When `limit` cuts groups of properties, a last row with `other: true` holds the rest.',
  }),
  by_currency: z.array(queryRow).optional().meta({
    description:
      'Where values have several currencies: the metrics of `value` by group and `currency`, at most 1000 rows. A currency of null: the events name none',
  }),
  count: z.int().meta({ description: 'Rows of this response' }),
  ...cut,
}

export const queryResponse = z
  .object({
    project: z.string(),
    ...queryOfPeriod,
    count_mode: z
      .enum(COUNT_MODES)
      .meta({ description: 'What `event_count` counts: visits, or with `raw` events' }),
    metrics: z.array(z.string()),
    group_by: z.array(z.string()),
    previous: previousOf(queryOfPeriod),
    ...contextOfResponse,
  })
  .meta({ id: 'Query' })
