import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '#core/errors'

/**
 * Merges the lists of this request with those of a request that has written since this one began. A list that
 * only one of them has changed gets that change. `undefined` leaves a list out. Throws CONTEXT_CHANGED for a
 * list that both have changed in different ways.
 */
export function mergeLists<Lists extends object>({
  begun,
  current,
  wanted,
}: {
  /** The lists when this request began. */
  begun: Lists
  /** The lists now. */
  current: Lists
  /** The lists that this request asks for. */
  wanted: Lists
}): Lists {
  const names = Object.keys(wanted) as (keyof Lists & string)[]
  const merged = names.map(name => {
    const isOurs = !isDeepStrictEqual(wanted[name], begun[name])
    const isTheirs = !isDeepStrictEqual(current[name], begun[name])
    if (isOurs && isTheirs && !isDeepStrictEqual(wanted[name], current[name])) {
      throw new ApiError(
        'CONTEXT_CHANGED',
        `Another request has changed \`${name}\` while this one ran, and nothing was written. Get the context again, repeat the change on it, and send it with \`If-Match\`.`,
      )
    }
    return [name, isOurs ? wanted[name] : current[name]]
  })
  return Object.fromEntries(merged.filter(([, list]) => list !== undefined)) as Lists
}
