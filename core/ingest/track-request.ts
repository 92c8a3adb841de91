import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/text/json-object'
import { EVENT_LIMITS } from '#schemas/event'
import { fieldName } from './field-name.ts'

/** What one request sends: events of one project, not checked yet. */
export type TrackRequest = {
  /** The one token of all events. It has the form of a token, but nobody has looked it up yet. */
  token: string
  items: readonly JsonObject[]
  /** How messages name an item: `events[3]` in a batch, an empty text for a single event. */
  labelOf(index: number): string
}

/** A token of another form is unknown; the state table is not asked. */
const TOKEN_FORM = /^aat_[A-Za-z0-9_-]{1,128}$/

/** Reads the body of POST /track. Throws INVALID_TOKEN. */
export function parseEvent(body: JsonObject): TrackRequest {
  return { token: parseToken(body.token, ''), items: [body], labelOf: () => '' }
}

/**
 * Reads the body of POST /track/batch. An event without a token takes the token beside `events`. Throws, in
 * this order: INVALID_BODY (`events` is absent, empty or no array, or an item is no object), BATCH_TOO_LARGE,
 * MIXED_TOKENS or INVALID_TOKEN.
 */
export function parseBatch(body: JsonObject): TrackRequest {
  const { events } = body
  if (!Array.isArray(events) || events.length === 0) {
    throw new ApiError(
      'INVALID_BODY',
      'Field `events` is not an array of 1 to 100 events. Send such an array.',
    )
  }
  if (events.length > EVENT_LIMITS.batchEvents) {
    throw new ApiError(
      'BATCH_TOO_LARGE',
      `Field \`events\` has ${events.length} events. Send at most ${EVENT_LIMITS.batchEvents} in one batch.`,
    )
  }
  events.forEach((item, i) => {
    if (!isJsonObject(item)) {
      throw new ApiError(
        'INVALID_BODY',
        `Item events[${i}] is not an object. Send each event as a JSON object.`,
      )
    }
  })
  const tokens = events.map((item: JsonObject) => item.token ?? body.token ?? null)
  const missing = tokens.indexOf(null)
  const first = tokens.find(token => token !== null) ?? null
  const other = tokens.findIndex(token => token !== null && token !== first)
  if (other !== -1) {
    throw new ApiError(
      'MIXED_TOKENS',
      `Item events[${other}] has a different token than the items before it. Send one batch for each project.`,
    )
  }
  return {
    token: parseToken(missing === -1 ? first : null, `events[${Math.max(missing, 0)}]`),
    items: events,
    labelOf: index => `events[${index}]`,
  }
}

function parseToken(token: unknown, label: string): string {
  if (token === undefined || token === null) {
    throw new ApiError(
      'INVALID_TOKEN',
      `${fieldName('token', label)} is missing. Send the project's token; GET /projects lists it.`,
    )
  }
  if (typeof token !== 'string' || !TOKEN_FORM.test(token)) throw unknownTokenError()
  return token
}

/** The token of a body that cannot be read as one request, to tell its project; null: it shows none. */
export function shownToken({ token, events }: JsonObject): string | null {
  const [first] = Array.isArray(events) ? events : []
  const shown = token ?? (isJsonObject(first) ? first.token : null)
  return typeof shown === 'string' && TOKEN_FORM.test(shown) ? shown : null
}

/** The error for a token that no live project has. */
export function unknownTokenError(): ApiError {
  return new ApiError('INVALID_TOKEN', 'No live project has this token. GET /projects lists the tokens.')
}
