import * as z from 'zod'
import type { ErrorCode } from './errors.ts'

/** Attaches the error code that a failed check answers with; without one it is MISSING_FIELDS. */
export function failsWith(code: ErrorCode) {
  return { params: { code } }
}

const SINCE = /^(\d{1,4})d$|^\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:?\d{2})?)?$/

/** `since` by its form only; core/reports/range.ts gives it its meaning, as that needs the time. */
export const since = z
  .string()
  .refine(isSince, {
    message: 'since takes Nd (0d to 3650d, e.g. 7d) or an ISO 8601 date or date-time (e.g. 2026-11-01)',
    ...failsWith('INVALID_SINCE'),
  })
  .meta({
    description: 'Nd = the UTC date N days before today, or an ISO 8601 date; inclusive',
    example: '7d',
  })

function isSince(text: string): boolean {
  const match = SINCE.exec(text)
  if (match === null) return false
  if (match[1] !== undefined) return Number(match[1]) <= 3650
  // Date reads 2026-02-30 as 2 March; we do not repair what was sent.
  const date = text.slice(0, 10)
  return !Number.isNaN(Date.parse(text)) && new Date(`${date}T00:00:00Z`).toJSON().startsWith(date)
}

/** The alias of `since` that is read when `since` is absent. */
export const days = wholeNumber('days', 0, 3650).meta({
  description: 'Alias of since=Nd, read when since is absent',
})

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
