import * as z from 'zod'
import { documentedAs } from './documented-as.ts'
import { parseSince } from './fields.ts'

/** What a read compares with: the range before, the same dates a year before, or a range of its own. */
export type Comparison = 'previous' | 'year' | { since: string; until: string }

/** Reads `compare`. Returns null for a text of another form. */
export function parseComparison(text: string): Comparison | null {
  if (text === 'previous' || text === 'year') return text
  const [since, until, ...rest] = text.split('..')
  if (since === undefined || until === undefined || rest.length > 0) return null
  return parseSince(since) === null || parseSince(until) === null ? null : { since, until }
}

/** The parameter of reads that have totals (U108). core/reports/run/compared-range.ts gives it a meaning. */
export const compare = z
  .unknown()
  .refine(
    value => typeof value === 'string' && parseComparison(value) !== null,
    'Parameter `compare` must be `previous`, `year`, or a range such as `2026-10-01..2026-10-31`.',
  )
  .transform(value => value as string)
  .meta({ override: { type: 'string' } })
  .optional()
  .meta({
    description:
      'Adds `previous`, the numbers of another range: `previous`, as many days before; `year`, the same dates a year before; or `<since>..<until>`',
    example: 'previous',
  })

/** The field `previous` of a response: what the report says of the other range. */
export function previousOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return documentedAs(z.object(shape), 'object', 'With `compare`: the same of the other range').optional()
}

/** The names of the fields that `previous` of a response has. */
export function namesOf(shape: object): string[] {
  return Object.keys(shape)
}
