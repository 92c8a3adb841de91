import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/json-object'
import { EVENT_LIMITS } from '#schemas/event'

/** What one request delivers: events of one project, not yet checked. */
export type TrackRequest = {
  /** The one token of all of them; it has the form of a token, but nobody has looked it up yet. */
  token: string
  items: readonly JsonObject[]
  /** How a message names the i-th item: `events[3]` in a batch, nothing for a single event. */
  labelOf(index: number): string
}

/** A token that has not this form is unknown without asking the store for it. */
const TOKEN_FORM = /^aat_[A-Za-z0-9_-]{1,128}$/

/** The delivery of POST /track. Throws INVALID_TOKEN. */
export function parseEvent(body: JsonObject): TrackRequest {
  return { token: knownForm(body.token, ''), items: [body], labelOf: () => '' }
}

/**
 * The delivery of POST /track/batch. An event without a token of its own takes the one beside `events`.
 * Throws INVALID_BODY (`events` is absent, empty, no array, or holds what is no object), BATCH_TOO_LARGE,
 * MIXED_TOKENS or INVALID_TOKEN, in that order.
 */
export function parseBatch(body: JsonObject): TrackRequest {
  const { events } = body
  if (!Array.isArray(events) || events.length === 0) {
    throw new ApiError('INVALID_BODY', '`events` must be an array of 1 to 100 events')
  }
  if (events.length > EVENT_LIMITS.batchEvents) {
    throw new ApiError(
      'BATCH_TOO_LARGE',
      `\`events\` holds ${events.length} events; at most ${EVENT_LIMITS.batchEvents} are taken`,
    )
  }
  events.forEach((item, i) => {
    if (!isJsonObject(item)) throw new ApiError('INVALID_BODY', `events[${i}] must be an object`)
  })
  const tokens = events.map((item: JsonObject) => item.token ?? body.token ?? null)
  const missing = tokens.indexOf(null)
  const first = tokens.find(token => token !== null) ?? null
  const other = tokens.findIndex(token => token !== null && token !== first)
  if (other !== -1) {
    throw new ApiError('MIXED_TOKENS', `events[${other}] carries another token than the events before it`)
  }
  return {
    token: knownForm(missing === -1 ? first : null, `events[${Math.max(missing, 0)}]`),
    items: events,
    labelOf: index => `events[${index}]`,
  }
}

function knownForm(token: unknown, where: string): string {
  const place = where === '' ? '`token`' : `${where}: \`token\``
  if (token === undefined || token === null) throw new ApiError('INVALID_TOKEN', `${place} is missing`)
  if (typeof token !== 'string' || !TOKEN_FORM.test(token)) throw unknownTokenError()
  return token
}

/** The answer to a token that no live project has. */
export function unknownTokenError(): ApiError {
  return new ApiError('INVALID_TOKEN', 'no live project has this token')
}
