/** The parts of a JSON schema that a shape shows. */
export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  allOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
}

/** Returns the schema that a reference names. */
export type Resolve = (schema: JsonSchema) => JsonSchema

/** Longest line of a shape. */
const LINE = 110
/** What rows are with the parameter `fields`. The pages say so. */
const PICKED_ROW = '/PickedRow'
/** A longer enumeration is shown by its type. */
const MOST_WORDS = 7

/**
 * Writes a schema as the type of its value: `{ project: string, rows: [{ … }], note?: string }`. `hidden`:
 * properties of the top level that are left out. A schema that contains itself is shown by its name.
 */
export function toShape(schema: JsonSchema, resolve: Resolve, hidden: readonly string[] = []): string {
  const { properties = {}, ...rest } = resolve(schema)
  const shown = Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.includes(name)))
  return write({ ...rest, properties: shown }, { resolve, open: [] }, 0)
}

type Context = { resolve: Resolve /** References around this one. */; open: readonly string[] }

function write(schema: JsonSchema, context: Context, depth: number): string {
  const inline = writeParts(schema, context, null)
  return inline.length + 2 * depth <= LINE ? inline : writeParts(schema, context, depth)
}

/** `depth`: null for one line, else the depth of the lines. */
function writeParts(schema: JsonSchema, context: Context, depth: number | null): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    if (context.open.includes(name)) return name
    const inside = { ...context, open: [...context.open, name] }
    return part(context.resolve(schema), inside, depth)
  }
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ $ref }) => !$ref?.endsWith(PICKED_ROW))
  if (choices !== undefined) {
    return [...new Set(choices.map(choice => part(choice, context, depth)))].join(' | ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const { enum: words } = schema
  if (words !== undefined && words.length <= MOST_WORDS)
    return words.map(word => JSON.stringify(word)).join(' | ')
  const types = [schema.type ?? 'any'].flat()
  return types.map(type => writeType(type, schema, context, depth)).join(' | ')
}

function writeType(type: string, schema: JsonSchema, context: Context, depth: number | null): string {
  if (type === 'array') return `[${part(schema.items ?? {}, context, depth)}]`
  if (type !== 'object') return type
  const entries = Object.entries(schema.properties ?? {})
  if (entries.length === 0) {
    const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
    return `{ [key]: ${part(values, context, null)} }`
  }
  const fields = entries.map(([name, value]) => {
    const mark = schema.required?.includes(name) === true ? '' : '?'
    const text = depth === null ? writeParts(value, context, null) : write(value, context, depth + 1)
    return `${name}${mark}: ${text}`
  })
  if (depth === null) return `{ ${fields.join(', ')} }`
  const indent = '  '.repeat(depth + 1)
  return `{\n${fields.map(field => `${indent}${field},\n`).join('')}${'  '.repeat(depth)}}`
}

function part(schema: JsonSchema, context: Context, depth: number | null): string {
  return depth === null ? writeParts(schema, context, null) : write(schema, context, depth)
}
