import { invalidCursor } from '#core/errors'

/** The place of a session in the list of sessions: its start, Unix ms, and its id. */
export type SessionPlace = { start: number; id: string }

/**
 * SQL text can hold only timestamps with a year of four digits, and the next page begins 1 ms after the
 * start.
 */
const MAX_TIMESTAMP = Date.parse('9999-12-31T23:59:59.999Z')

/** Makes an opaque text from the last session of a page. The next page begins after it. */
export function encodeSessionCursor({
  start_time,
  session_id,
}: {
  start_time: number
  session_id: string
}): string {
  return Buffer.from(`${start_time}.${session_id}`).toString('base64url')
}

/** Reads a cursor back. Throws MISSING_FIELDS if encodeSessionCursor cannot have made the text. */
export function parseSessionCursor(cursor: string): SessionPlace {
  const [, time = '', id = ''] = /^(\d{1,15})\.(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const start = Number(time)
  const isValid =
    time !== '' &&
    start < MAX_TIMESTAMP &&
    encodeSessionCursor({ start_time: start, session_id: id }) === cursor
  if (isValid) return { start, id }
  throw invalidCursor()
}
