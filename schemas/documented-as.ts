import type * as z from 'zod'

const DOCUMENTED = {
  object: { type: 'object' },
  'object or null': { type: ['object', 'null'] },
  objects: { type: 'array', items: { type: 'object' } },
} as const

/**
 * Documents a value by its type and one sentence, because the OpenAPI document has a bound of bytes (U72). A
 * page of docs/ or a standard has the whole shape. The checks of the schema stay.
 */
export function documentedAs<T extends z.ZodType>(
  schema: T,
  type: keyof typeof DOCUMENTED,
  description: string,
): T {
  return schema.meta({
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
      Object.assign(jsonSchema, DOCUMENTED[type], { description })
    },
  })
}
