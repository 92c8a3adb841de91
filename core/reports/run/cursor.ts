import { invalidCursor } from '#core/errors'

/** The position of an event in the order (timestamp, id): its timestamp (ms), lag (s) and seq. */
export type EventPosition = { timestamp: number; lag: number; seq: number }

/** SQL text can hold only timestamps with a year of four digits. */
const MAX_TIMESTAMP = Date.parse('9999-12-31T23:59:59.999Z')

/** Makes an opaque text from the position of the last event of a page. The next page begins after it. */
export function encodeCursor({ timestamp, lag, seq }: EventPosition): string {
  return Buffer.from(`${timestamp}.${lag}.${seq}`).toString('base64url')
}

/** Reads a cursor back. Throws MISSING_FIELDS if encodeCursor cannot have made the text. */
export function parseCursor(cursor: string): EventPosition {
  const [timestamp = Number.NaN, lag = Number.NaN, seq = Number.NaN] = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .split('.')
    .map(Number)
  const position = { timestamp, lag, seq }
  const areIntegers = [timestamp, lag, seq].every(Number.isSafeInteger)
  if (!areIntegers || timestamp < 0 || timestamp > MAX_TIMESTAMP || encodeCursor(position) !== cursor) {
    throw invalidCursor()
  }
  return position
}
