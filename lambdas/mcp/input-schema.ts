import {
  fromJsonSchema,
  type jsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Tool } from './tool.ts'

/** Tools check their arguments themselves, with messages that say what is right (run-tool.ts). */
export const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
}

export const MAX_TOKENS = { default: 1_500, min: 500, max: 20_000 }

/** What every tool takes beside its own arguments. */
const common = {
  max_tokens: z
    .int()
    .min(MAX_TOKENS.min)
    .max(MAX_TOKENS.max)
    .optional()
    .describe(`Length of the answer; default ${MAX_TOKENS.default}`),
}

const inputs = new WeakMap<Tool, z.ZodObject>()
const schemas = new WeakMap<Tool, StandardSchemaWithJSON>()

/** The arguments of a tool, with those of all tools. Other names are refused. */
export function inputOf(tool: Tool): z.ZodObject {
  const known = inputs.get(tool)
  if (known !== undefined) return known
  const input = z.strictObject({ ...tool.input.shape, ...common })
  inputs.set(tool, input)
  return input
}

/** The same as JSON Schema for the list of tools, made once. */
export function jsonSchemaOf(tool: Tool): StandardSchemaWithJSON {
  const known = schemas.get(tool)
  if (known !== undefined) return known
  const { $schema: _, ...schema } = z.toJSONSchema(inputOf(tool), { io: 'input' })
  const made = fromJsonSchema(schema as never, ACCEPT_ALL)
  schemas.set(tool, made)
  return made
}
