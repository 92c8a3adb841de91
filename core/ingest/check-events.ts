import { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import { parseItem, type WrittenEvent } from './item.ts'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import type { TrackRequest } from './track-request.ts'

/**
 * Adds the checked events and the time of their arrival (Unix ms). One bad item refuses the whole request.
 */
export function checkEvents({ clock }: { clock: Now }) {
  return ({
    trackRequest: { items, labelOf },
  }: {
    trackRequest: TrackRequest
  }): Ok<{ events: WrittenEvent[]; arrivedAt: number }> | Refuse => {
    const arrivedAt = clock.now()
    try {
      return ok({ events: items.map((item, i) => parseItem(item, labelOf(i), arrivedAt)), arrivedAt })
    } catch (error) {
      if (error instanceof ApiError) return refuse(error)
      throw error
    }
  }
}
