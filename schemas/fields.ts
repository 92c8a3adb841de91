import * as z from 'zod'
import type { ErrorCode } from './errors.ts'

/** Attaches the error code that a failed check answers with; without one it is MISSING_FIELDS. */
export function failsWith(code: ErrorCode) {
  return { params: { code } }
}

/** What `since` takes, for messages. */
export const SINCE_FORMS =
  'since takes Nd (0d to 3650d, e.g. 7d) or an ISO 8601 date or date-time (e.g. 2026-11-01)'

/** Days before today, a date in the zone of the request, or a moment in Unix ms. */
export type Since = { days: number } | { date: string } | { at: number }

const MAX_DAYS = 3650
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** Reads `since`; null when it has none of its forms. A date-time without an offset counts by its date. */
export function parseSince(text: string): Since | null {
  const days = /^(\d{1,4})d$/.exec(text)?.[1]
  if (days !== undefined) return Number(days) <= MAX_DAYS ? { days: Number(days) } : null
  const match = ISO.exec(text)
  if (match === null) return null
  const [, date = '', time = '00:00', offset] = match
  // Date reads 2026-02-30 as 2 March; we do not repair what was sent.
  const start = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(start) || !new Date(start).toJSON().startsWith(date)) return null
  const at = Date.parse(`${date}T${time}${offset?.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2') ?? 'Z'}`)
  if (Number.isNaN(at)) return null
  return offset === undefined ? { date } : { at }
}

/** `since` by its form only; core/reports/range.ts gives it its meaning, as that needs the time. */
export const since = z
  .string()
  .refine(text => parseSince(text) !== null, { message: SINCE_FORMS, ...failsWith('INVALID_SINCE') })
  .meta({
    description: 'Nd = the UTC date N days before today, or an ISO 8601 date; inclusive',
    example: '7d',
  })

/** The alias of `since` that is read when `since` is absent. */
export const days = wholeNumber('days', 0, MAX_DAYS).meta({
  description: 'Alias of since=Nd, read when since is absent',
})

/** The zone whose dates, weeks, months and hours a report uses. */
export const tz = z
  .string()
  .refine(isTimeZone, 'Parameter `tz` must be an IANA time zone such as `Europe/Berlin`.')
  .optional()
  .meta({ description: 'IANA time zone of dates and intervals; default UTC', example: 'Europe/Berlin' })

function isTimeZone(text: string): boolean {
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

export const period = oneOf('period', PERIOD_LABELS).default('7d')

/** A period in a response; `tz` only if the request had it. */
export const datedPeriod = z.object({ from: z.string(), to: z.string(), tz: z.string().optional() })

/** A bounded whole number of a query string or a body. */
export function wholeNumber(name: string, min: number, max: number) {
  const message = `${name} takes a whole number from ${min} to ${max}`
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
      // Told as what it means, a number, though a query string carries it as text.
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema.anyOf
        Object.assign(jsonSchema, { type: 'integer', minimum: min, maximum: max })
      },
    })
}

/** One of a few words. */
export function oneOf<const T extends readonly [string, ...string[]]>(name: string, values: T) {
  return z.enum(values, `${name} takes one of ${values.join(', ')}`)
}

/** `project`, as every read takes it: the chain has found it before the other fields are looked at. */
export const project = z.string().meta({ description: "The project's name or id", example: 'demo' })

/** Up to 1000, default 100, as the reads that return rows take it. */
export const limit = wholeNumber('limit', 1, 1000)
  .default(100)
  .meta({
    description: 'Rows at most',
    override: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  })
