import type { SentEvent } from './sent-event.ts'
import { textOf } from './text-of.ts'

/** docs/api/conditions.md, U126: what conditions know of a person, computed from the words. */

/** What identify requests with a credential and without one have told of a user. */
export type KnownTraits = { trusted?: Record<string, unknown>; open?: Record<string, unknown> }
export type TraitsOf = (userId: string) => KnownTraits

export function isTrait(field: string): boolean {
  return /^traits[.[]/.test(field)
}

/** The value that a field names: what came with a credential, else what came without one. */
export function traitOf({ trusted = {}, open = {} }: KnownTraits, field: string): unknown {
  const key = field.startsWith('traits.')
    ? field.slice('traits.'.length)
    : JSON.parse(field.slice('traits['.length, -1))
  const owner = Object.hasOwn(trusted, key) ? trusted : open
  return Object.hasOwn(owner, key) ? owner[key] : null
}

/** The trait of the person of an event as text (U154); null for an event without a person. */
export function traitText({ user_id }: SentEvent, field: string, traitsOf?: TraitsOf): string | null {
  return user_id === null || traitsOf === undefined ? null : textOf(traitOf(traitsOf(user_id), field))
}
