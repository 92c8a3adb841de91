import type { RefusedLink } from '#schemas/projects'

export type Refusal = RefusedLink

/** Ids that senders use by mistake for many people, in lower case. They are never an end of a link (U57). */
export const SHARED_IDS: ReadonlySet<string> = new Set([
  '',
  '0',
  '[object object]',
  'anonymous',
  'distinct_id',
  'distinctid',
  'email',
  'false',
  'guest',
  'id',
  'nan',
  'none',
  'not_authenticated',
  'null',
  'true',
  'undefined',
])

/** What the tracker makes: `anon_` and a random part. */
const ANONYMOUS_ID = /^anon_.{8,}$/s
const QUOTES = ['"', "'", '`']

/**
 * Why a request may not link its two ids, or null if it may (U57). Everybody has the public token of a
 * project, so without a credential of the account (`hasCredential`) only an anonymous id can be linked:
 * otherwise a visitor could join two known users.
 */
export function refuseLink(
  { previous_id, user_id }: { previous_id: string; user_id: string },
  hasCredential: boolean,
): Refusal | null {
  if (isShared(previous_id) || isShared(user_id)) return 'shared_id'
  return hasCredential || ANONYMOUS_ID.test(previous_id) ? null : 'not_anonymous'
}

/** The ids are known in any case, in quotes, and with blanks around them. */
function isShared(id: string): boolean {
  let text = id.trim()
  while (text.length > 1 && QUOTES.includes(text.charAt(0)) && text.endsWith(text.charAt(0)))
    text = text.slice(1, -1).trim()
  return SHARED_IDS.has(text.toLowerCase())
}
