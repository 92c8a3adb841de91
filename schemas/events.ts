import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { eventRow } from './event.ts'
import {
  cursor,
  datedPeriod,
  eventName,
  limit,
  nameList,
  nextBefore,
  pickedRow,
  project,
  questionOfWeek,
  sessionId,
  userId,
} from './fields.ts'

/** Which fields of an event a row has (U69). */
export const eventFields = nameList('fields', {
  description: 'Only these fields of an event, or its properties: `timestamp,event,path`',
})

export const eventsQuery = z.object({
  project,
  event: eventName,
  user_id: userId,
  session_id: sessionId,
  ...questionOfWeek,
  limit,
  before: cursor,
  fields: eventFields,
})

export const eventsResponse = z
  .object({
    project: z.string(),
    period: datedPeriod,
    events: z.array(z.union([eventRow, pickedRow])).meta({ description: 'Newest first' }),
    count: z.int().meta({ description: 'Events of this response' }),
    next_before: nextBefore,
    truncated: z.literal(true).optional().meta({ description: 'Present when there are older events' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Events' })

export type EventsResponse = z.infer<typeof eventsResponse>
