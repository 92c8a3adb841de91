import type { z } from 'zod'
import type { EventsResponse, eventsQuery } from '#schemas/events'
import { readEvents } from './event-page.ts'
import { missingFields, pickEventFields } from './run/pick-event-fields.ts'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'

export type EventsParams = Omit<z.output<typeof eventsQuery>, 'project'>

/** GET /events (docs/api/events.md): newest first by (timestamp, id). */
export const events = defineReport<EventsParams, EventsResponse>({
  range: sinceDays(7, { takesTimes: true }),
  async compute(rows, request) {
    const { project, params, read, identity } = request
    const users = params.user_id === undefined ? null : await identity.idsOf(params.user_id)
    const page = await readEvents(rows, { params, users, members: [{ project, read }] })
    return {
      project: project.name,
      period: toPeriod(request),
      events: pickEventFields(page.events, params.fields),
      count: page.events.length,
      next_before: page.next,
      ...(page.next !== null && { truncated: true as const }),
    }
  },
  namesOfEmpty: ({ event, fields }, { count, events }) =>
    count === 0 ? { events: [event] } : { properties: missingFields(events, fields) },
})
