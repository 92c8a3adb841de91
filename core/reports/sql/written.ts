import type { SqlQuery } from '#core/ports'

/** A piece of SQL that the code itself makes: names, numbers and constants, never a value of a request. */
export function written(text: string): SqlQuery {
  return { text, params: [] }
}
