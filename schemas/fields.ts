import * as z from 'zod'
import { filter, where } from './conditions.ts'
import type { ErrorCode } from './errors.ts'
import { prefixedKey, splitNames } from './property-names.ts'

/** Gives a check the error code of its failure. Without it the code is MISSING_FIELDS. */
export function failsWith(code: ErrorCode) {
  return { params: { code } }
}

/** The parameters that set a range; `date_from` and `date_to` are other names of the first two (U76). */
export type RangeName = 'since' | 'until' | 'date_from' | 'date_to'

/** The forms of these parameters, as a sentence for messages. */
export function momentForms(name: RangeName): string {
  return `Parameter \`${name}\` must be a number of days such as \`7d\` (at most \`3650d\`), or an ISO 8601 date or date-time such as \`2026-11-01\`.`
}

/**
 * Days before today; a date in the zone of the request, with `time` at so many ms after its midnight, as
 * clocks show it; or a moment in Unix ms.
 */
export type Since = { days: number } | { date: string; time?: number } | { at: number }

/** Days that a range begins before today at most. */
export const MAX_DAYS = 3650
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** Reads `since`. Returns null for a text of another form. A date-time without an offset is of the zone. */
export function parseSince(text: string): Since | null {
  const days = /^(\d{1,4})d$/.exec(text)?.[1]
  if (days !== undefined) return Number(days) <= MAX_DAYS ? { days: Number(days) } : null
  const match = ISO.exec(text)
  if (match === null) return null
  const [, date = '', time, offset] = match
  // Date reads 2026-02-30 as 2 March. That is not what the client meant, so such a date is an error.
  const start = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(start) || !new Date(start).toJSON().startsWith(date)) return null
  if (time === undefined) return { date }
  const at = Date.parse(`${date}T${time}${offset?.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2') ?? 'Z'}`)
  if (Number.isNaN(at)) return null
  return offset === undefined ? { date, time: at - start } : { at }
}

/**
 * Checks the form of `since`. core/reports/run/range.ts gives it a meaning, because that needs the current
 * time. `absent`: what a request without it means, as a sentence.
 */
function since(absent: string) {
  return moment('since').meta({
    description: `First date: \`7d\` is 7 days before today, so the range has 8 dates. Or a date: \`2026-11-01\`. ${absent}`,
    example: '7d',
  })
}

/** The form of one end of a range. */
export function moment(name: RangeName) {
  return z
    .unknown()
    .refine(value => typeof value === 'string' && parseSince(value) !== null, {
      message: momentForms(name),
      ...failsWith('INVALID_SINCE'),
    })
    .transform(value => value as string)
    .meta({ override: { type: 'string' } })
    .optional()
}

/** Beside `since` and `until` (U76). */
export const otherRangeNames = {
  date_from: moment('date_from').meta({ description: 'Another name of `since`' }),
  date_to: moment('date_to').meta({ description: 'Another name of `until`' }),
}

/** A date of the calendar. */
export function date(name: string) {
  const parses = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseSince(text) !== null
  return z.string().refine(parses, `Parameter \`${name}\` must be a date such as \`2026-11-16\`.`)
}

/** The alias of `since`, for requests without `since`. */
const days = wholeNumber('days', 0, MAX_DAYS)
  .meta({ description: 'The same as `since=Nd`. Ignored when `since` is there.' })
  .optional()

/** The zone whose dates, weeks, months and hours a report uses. */
export const tz = timeZone('default: that of the project, else UTC')

/**
 * The parameters of every dated read: its range and its condition (docs/api/ranges.md, conditions.md).
 * `absent`: what a request without `since` means.
 */
export function question(absent: string) {
  return {
    since: since(absent),
    until: moment('until').meta({
      description: 'Last date of the range, inclusive, in the forms of `since`. Default: now',
    }),
    days,
    ...otherRangeNames,
    tz,
    where,
    filter,
  }
}

/** The range of most reports. */
export const questionOfWeek = question('Default: `7d`.')
export const questionOfMonth = question('Default: `30d`.')

/** The zone of reads over several projects, which may have different zones. */
export const accountTz = timeZone('default UTC')

function timeZone(absent: string) {
  return z
    .string()
    .refine(isTimeZone, 'Parameter `tz` must be an IANA time zone such as `Europe/Berlin`.')
    .optional()
    .meta({
      description: `IANA time zone of dates and hours; ${absent}`,
      example: 'Europe/Berlin',
    })
}

/** Whether a text is an IANA time zone that this process knows. */
export function isTimeZone(text: string): boolean {
  // Node also takes offsets such as +02:00, which have no daylight-saving time.
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }) !== null
  } catch {
    return false
  }
}

/** Labels of a period that ends today (R12). */
export const PERIOD_LABELS = ['1d', '7d', '14d', '30d', '90d'] as const

export const period = oneOf('period', PERIOD_LABELS).default('7d').meta({
  description: '`7d`: the 7 dates that end today. The period before it is as long.',
})

/** How long a period of a response is, and whether it grows. */
const extent = {
  days: z.int().meta({ description: 'Dates from `from` to `to`, both counted' }),
  running: z.literal(true).optional().meta({ description: 'There if its last date is not over yet' }),
}

/** A period in a response; `tz` only if the request or its project has one. */
export const datedPeriod = z.object({
  from: z.string(),
  to: z.string(),
  ...extent,
  since: z.string().optional().meta({ description: 'Where it begins within the first date, ISO 8601' }),
  until: z.string().optional().meta({ description: 'Where it ends within the last date, ISO 8601' }),
  tz: z.string().optional(),
})

/** A period of whole dates in a response. */
export const wholePeriod = datedPeriod.omit({ since: true, until: true })

/** The period of a label and the one before it, in a response. */
export const labelledPeriod = z.object({
  label: z.enum(PERIOD_LABELS),
  from: z.string(),
  to: z.string(),
  ...extent,
  previous_from: z.string(),
  previous_to: z.string(),
  tz: z.string().optional(),
})

/** A whole number within bounds, of a query string or a body. */
export function wholeNumber(name: string, min: number, max: number) {
  const message = `Parameter \`${name}\` must be a whole number from ${min} to ${max}.`
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?\d+$/, message)
          .transform(Number),
      ],
      message,
    )
    .refine(value => Number.isInteger(value) && value >= min && value <= max, { message })
    .meta({
      // The document shows a number, although a query string carries text.
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema.anyOf
        Object.assign(jsonSchema, { type: 'integer', minimum: min, maximum: max })
      },
    })
}

/** One of the given words. */
export function oneOf<const T extends readonly [string, ...string[]]>(name: string, values: T) {
  const words = values.map(value => `\`${value}\``).join(', ')
  return z.enum(values, `Parameter \`${name}\` must be one of ${words}.`)
}

/** Names of a list, and characters of each. */
const [MAX_NAMES, MAX_NAME_CHARS] = [50, 256]

/** Names that are separated by commas, each once and in their order; `allowed`: they are some of these. */
export function nameList<T extends string = string>(
  name: string,
  { description, allowed }: { description: string; allowed?: readonly T[] },
) {
  const message =
    allowed === undefined
      ? `Parameter \`${name}\` must be 1 to ${MAX_NAMES} names of at most ${MAX_NAME_CHARS} characters, separated by commas.`
      : `Parameter \`${name}\` must be some of ${allowed.join(', ')}, separated by commas.`
  const isName = (text: string) =>
    allowed === undefined
      ? (text !== '' && text.length <= MAX_NAME_CHARS) || prefixedKey(text) !== undefined
      : allowed.includes(text as T)
  return z
    .string(message)
    .transform(text => [...new Set(splitNames(text))] as T[])
    .refine(names => names.length <= MAX_NAMES && names.every(isName), message)
    .meta({ override: { type: 'string' } })
    .optional()
    .meta({ description })
}

/** The `project` of every read. The chain checks it before the other fields. */
export const project = z.string().meta({ description: "The project's name or id", example: 'demo' })

/** The `limit` of reads that return rows: 1 to 1000, by default 100. */
export const limit = wholeNumber('limit', 1, 1000)
  .default(100)
  .meta({ description: 'The largest number of rows' })

/** Numbers that /numbers.md defines. */
export const uniqueUsers = z.int().meta({ description: 'Different persons: /numbers.md#users' })
export const bounceRate = z.number().meta({ description: 'Bounces / sessions, 0 to 1: /numbers.md#bounces' })
export const singlePageRate = z
  .number()
  .meta({ description: 'Sessions with exactly one `page_view` / sessions, 0 to 1: /numbers.md#bounces' })
export const sessionCount = z
  .int()
  .meta({ description: 'Sessions that start in the range: /numbers.md#sessions' })

/** The field `other` of a response to a share link: sums of the groups that it does not show. */
export function otherGroups<Shape extends Record<string, z.ZodInt>>(shape: Shape) {
  return z.object(shape).optional().meta({
    description:
      'Only for share links: the sums of the groups that are not shown, /dashboard.md#groups-of-few-people',
  })
}

/** Filters of several reads. */
export const eventName = z
  .string()
  .optional()
  .meta({ description: 'Only events of this name', example: 'page_view' })
export const userId = z.string().optional().meta({
  description: 'Only events of this user: any id of the person, also one from before they signed in',
})
export const sessionId = z.string().optional().meta({ description: 'Only events of this session' })

/** Continues a list. */
export const cursor = z.string().optional().meta({
  description: "For the next page: the last response's `next_before`",
})

/** Where a list goes on, in a response. */
export const nextBefore = z
  .string()
  .nullable()
  .meta({ description: 'Send it as `before` for the next page; null: this is the last one' })

/** A row of a response to a request with `fields`. */
export const pickedRow = z
  .looseObject({})
  .meta({ id: 'PickedRow', description: 'With `fields`: these fields, in their order; null where absent' })
