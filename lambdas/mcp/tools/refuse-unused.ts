import { ApiError } from '#core/errors'

/**
 * Throws INVALID_ARGUMENTS for an argument that the chosen report does not read: a number of another range or
 * of everybody would look like the one that was asked for.
 */
export function refuseUnused(args: object, chosen: string, takes: readonly string[]): void {
  const unused = Object.entries(args).flatMap(([name, value]) =>
    value === undefined || takes.includes(name) ? [] : [name],
  )
  if (unused.length === 0) return
  const names = unused.map(name => `\`${name}\``).join(', ')
  throw new ApiError('INVALID_ARGUMENTS', `Leave out ${names}: ${chosen} takes only ${takes.join(', ')}.`)
}
