import { MAX_VIEWED_EVENTS, type SessionEvent } from '#schemas/replays'
import { readEvents } from './event-page.ts'
import type { DatedParams } from './run/asked-range.ts'
import { defineReport } from './run/run.ts'

export type ReplayEventsParams = DatedParams & {
  session_id: string
  /** The time of the replay, Unix ms. */
  from: number
  to: number
}

/** POST /replay/view/events: the events of the session of a replay, oldest first. */
export const replayEvents = defineReport<ReplayEventsParams, { events: SessionEvent[]; truncated?: true }>({
  range: ({ from, to }) => ({ from, to: to + 1 }),
  async compute(rows, { project, params: { session_id }, read }) {
    const params = { session_id, limit: MAX_VIEWED_EVENTS, order: 'asc' as const }
    const page = await readEvents(rows, { params, users: null, members: [{ project, read }] })
    const events = page.events.map(({ timestamp, event, properties }) => {
      const path = properties?.path
      return { timestamp, event, path: typeof path === 'string' ? path : null }
    })
    return { events, ...(page.next !== null && { truncated: true as const }) }
  },
})
