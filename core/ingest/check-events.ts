import { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import type { ErrorCode } from '#schemas/errors'
import type { RefusalReason } from '#schemas/refusals'
import type { DeviceHeaders } from './device.ts'
import { parseItem, type WrittenEvent } from './item.ts'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import type { TrackRequest } from './track-request.ts'

/** The errors of parseItem by the reason that is counted; the others are about names and ids. */
const REASONS: Partial<Record<ErrorCode, RefusalReason>> = {
  INVALID_TIMESTAMP: 'time',
  INVALID_PROPERTIES: 'size',
}

/** A refused event of a batch: its index, and the error that it would get alone. */
type BadEvent = { index: number; error: ApiError }

/**
 * Adds the checked events and the time of their arrival (Unix ms). One bad item refuses the whole request.
 * The error is that of the first bad item; in a batch `bad_events` names all of them, so that a client can
 * correct or remove them at once. A batch has at most EVENT_LIMITS.batchEvents, which bounds the list.
 */
export function checkEvents({ clock }: { clock: Now }) {
  return ({
    trackRequest: { items, labelOf },
    sender,
  }: {
    trackRequest: TrackRequest
    sender: DeviceHeaders
  }): Ok<{ events: WrittenEvent[]; arrivedAt: number }> | Refuse => {
    const arrivedAt = clock.now()
    const events: WrittenEvent[] = []
    const bad: BadEvent[] = []
    items.forEach((item, index) => {
      try {
        events.push(parseItem(item, labelOf(index), arrivedAt, sender))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        bad.push({ index, error })
      }
    })
    const first = bad[0]
    if (first === undefined) return ok({ events, arrivedAt })
    const error = labelOf(first.index) === '' ? first.error : batchError(first.error, bad)
    return refuse(error, REASONS[error.code] ?? 'name')
  }
}

function batchError(first: ApiError, bad: readonly BadEvent[]): ApiError {
  const bad_events = bad.map(({ index, error }) => ({ index, error: error.code, message: error.message }))
  return new ApiError(first.code, first.message, { fields: { bad_events } })
}
