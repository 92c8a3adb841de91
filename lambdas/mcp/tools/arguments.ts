import * as z from 'zod'

/** Arguments that several tools have. The rows of the API check the values, with messages of their own. */
export const project = z.string().describe('Name or id')
/** `byDefault`: the first day if the argument is absent, as the list of tools says it. */
export const sinceOr = (byDefault: string) =>
  z.string().optional().describe(`First day, such as 2026-11-01; default ${byDefault}`)
export const until = z.string().optional().describe('Last day')
export const where = z
  .looseObject({})
  .optional()
  .describe(
    'Only what passes: {field, op, value}, {and|or: […]}, {not|session|person: …}, {did: {event, where, at_least, within}}, {segment: name}',
  )
export const compare = z.string().describe('previous, year, or 2026-10-01..2026-10-31')
export const tz = z.string().optional().describe('IANA zone; default: of the project, else UTC')
export const limit = z.int().min(1).max(1_000).optional().describe('Most rows')

const value = z.union([z.string(), z.number(), z.boolean()])

export const filters = z
  .array(
    z.strictObject({
      field: z
        .string()
        .describe('event, user_id, session_id, country, date, properties.x or properties["a.b"]'),
      op: z.enum(['eq', 'neq', 'gt', 'lt', 'gte', 'lte', 'contains']),
      value,
    }),
  )
  .optional()
  .describe('All must hold')

/** A step of a funnel; its filters name properties. */
export const step = z.strictObject({
  event: z.string(),
  filters: z
    .array(
      z.strictObject({
        property: z.string(),
        op: z.enum(['eq', 'neq', 'contains', 'gt', 'gte', 'lt', 'lte', 'prefix', 'in']),
        value: z.union([value, z.array(value)]),
      }),
    )
    .optional(),
})
