import type { ApiError } from '#core/errors'
import type { RefusalReason } from '#schemas/refusals'
import type { BotRecord } from './record.ts'

/** How a step of ingestion ends. An exception means that the request failed and may be sent again. */
export type IngestResult<T> = Ok<T> | Drop | Refuse | RedirectToBots

/** The request goes on to the next step, with this value. */
export type Ok<T> = { result: 'ok'; value: T }
/** The sender gets the response of a stored request, but nothing is stored. */
export type Drop = { result: 'drop'; reason: string }
/** The sender gets this error. `last`: what the counts of refusals tell of it beside the reason. */
export type Refuse = { result: 'refuse'; error: ApiError; reason: RefusalReason; last: string | null }
/** The sender gets the response of a stored request, but only the bot count of the project changes. */
export type RedirectToBots = { result: 'redirect-to-bots'; record: BotRecord }

export function ok<T>(value: T): Ok<T> {
  return { result: 'ok', value }
}

export function drop(reason: string): Drop {
  return { result: 'drop', reason }
}

export function refuse(error: ApiError, reason: RefusalReason, last: string | null = error.message): Refuse {
  return { result: 'refuse', error, reason, last }
}

export function redirectToBots(record: BotRecord): RedirectToBots {
  return { result: 'redirect-to-bots', record }
}
