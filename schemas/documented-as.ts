import * as z from 'zod'

const SUMMARIES = {
  object: { type: 'object' },
  'object or null': { type: ['object', 'null'] },
  objects: { type: 'array', items: { type: 'object' } },
} as const

const registry = z.registry<{ type: keyof typeof SUMMARIES; description: string }>()

/**
 * Describes a value by its type and one sentence, because the OpenAPI document has a bound of bytes (U72). A
 * page of docs/ has the whole shape, or the sentence names a standard that has. The checks of the schema
 * stay.
 */
export function documentedAs<T extends z.ZodType>(
  schema: T,
  type: keyof typeof SUMMARIES,
  description: string,
): T {
  registry.add(schema, { type, description })
  return schema
}

/** The JSON schema with which the OpenAPI document describes the value; undefined: its whole shape. */
export function summaryOf(schema: z.core.$ZodType): Record<string, unknown> | undefined {
  const summary = registry.get(schema)
  return summary && { ...SUMMARIES[summary.type], description: summary.description }
}
