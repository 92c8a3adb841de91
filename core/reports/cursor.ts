import { ApiError } from '#core/errors'

/** Where an event stands in the order (timestamp, id): its timestamp (ms), lag (s) and seq. */
export type EventPosition = { timestamp: number; lag: number; seq: number }

/** Timestamps that SQL text can hold: years of four digits. */
const MAX_TIMESTAMP = Date.parse('9999-12-31T23:59:59.999Z')

/** An opaque text for a place; the next page begins behind it. */
export function encodeCursor({ timestamp, lag, seq }: EventPosition): string {
  return Buffer.from(`${timestamp}.${lag}.${seq}`).toString('base64url')
}

/** Reads a cursor back. Throws MISSING_FIELDS on a text that encodeCursor has not made. */
export function parseCursor(cursor: string): EventPosition {
  const [timestamp = Number.NaN, lag = Number.NaN, seq = Number.NaN] = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .split('.')
    .map(Number)
  const place = { timestamp, lag, seq }
  const whole = [timestamp, lag, seq].every(Number.isSafeInteger)
  if (!whole || timestamp < 0 || timestamp > MAX_TIMESTAMP || encodeCursor(place) !== cursor) {
    throw new ApiError('MISSING_FIELDS', 'before takes the next_before of the last answer, as it was given')
  }
  return place
}
