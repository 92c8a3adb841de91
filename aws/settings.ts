import type { z } from 'zod'
import { type FunctionName, type FunctionSettings, functions } from '#schemas/functions'

/**
 * A function's settings, read once from its environment. Throws, so that the start of the function fails, with the name
 * of every variable that is missing or wrong; their values stay out of the message.
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
    return environment[variable] === undefined ? `${variable} is not set` : `${variable}: ${message}`
  })
  throw new Error(`settings of the function ${name}: ${lines.join('; ')}`)
}
