import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { eventRow } from './event.ts'
import { days, limit, project, since, tz } from './fields.ts'

export const eventsQuery = z.object({
  project,
  event: z.string().optional(),
  user_id: z.string().optional(),
  session_id: z.string().optional(),
  since: since.optional(),
  days: days.optional(),
  tz,
  limit,
  before: z.string().optional().meta({
    description: "Must be the previous response's `next_before`, unchanged. So each row comes once.",
  }),
})

export const eventsResponse = z
  .object({
    project: z.string(),
    events: z.array(eventRow).meta({ description: 'Newest first' }),
    count: z.int(),
    next_before: z.string().nullable(),
    truncated: z.literal(true).optional(),
    ...contextOfResponse,
  })
  .meta({ id: 'Events' })

export type EventsResponse = z.infer<typeof eventsResponse>
