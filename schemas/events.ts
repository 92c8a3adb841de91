import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { eventRow } from './event.ts'
import { days, eventName, limit, project, sessionId, sinceWeek, tz, userId } from './fields.ts'

/** Continues a list of events. */
export const cursor = z.string().optional().meta({
  description:
    "For the next page: the previous response's `next_before`, unchanged, beside the same other parameters",
})

export const eventsQuery = z.object({
  project,
  event: eventName,
  user_id: userId,
  session_id: sessionId,
  since: sinceWeek,
  days,
  tz,
  limit,
  before: cursor,
})

export const eventsResponse = z
  .object({
    project: z.string(),
    events: z.array(eventRow).meta({ description: 'Newest first' }),
    count: z.int().meta({ description: 'Events of this response' }),
    next_before: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `before`; null: there are no older events' }),
    truncated: z.literal(true).optional().meta({ description: 'Present when there are older events' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Events' })

export type EventsResponse = z.infer<typeof eventsResponse>
