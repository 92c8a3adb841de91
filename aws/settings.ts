import type { z } from 'zod'
import { type FunctionName, type FunctionSettings, functions } from '#schemas/functions'

/**
 * Reads a function's settings from its environment. Throws when a variable is missing or wrong, so that the
 * start of the function fails. The message names every such variable and holds no values.
 */
export function readSettings<N extends FunctionName>(
  name: N,
  environment: Record<string, string | undefined>,
): Readonly<FunctionSettings<N>> {
  const schema: z.ZodType = functions[name]
  const { success, data, error } = schema.safeParse(environment)
  if (success) return Object.freeze(data as FunctionSettings<N>)
  const lines = error.issues.map(({ path, message }) => {
    const variable = String(path[0])
    return environment[variable] === undefined ? `${variable} is not set.` : `${variable}: ${message}.`
  })
  throw new Error(`The settings of the function ${name} are wrong. ${lines.join(' ')}`)
}
