import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { eventRow } from './event.ts'
import { eventFields, eventsResponse } from './events.ts'
import {
  cursor,
  datedPeriod,
  eventName,
  limit,
  nextBefore,
  oneOf,
  pickedRow,
  project,
  questionOfMonth,
  questionOfWeek,
  sessionId,
  userId,
} from './fields.ts'

const person = {
  user_id: userId,
  email: z.string().optional().meta({
    description:
      'Only events of users identified with this address, none if it is unknown. Ignored with `user_id`.',
  }),
}

const NEITHER = 'Send `user_id` or `email` to say whose events you want.'

function namesPerson({
  user_id,
  email,
}: {
  user_id?: string | undefined
  email?: string | undefined
}): boolean {
  return user_id !== undefined || email !== undefined
}

/**
 * An empty text names nobody. It is no filter either: a client that lost the id must not see the events of
 * everybody.
 */
function isNotEmpty({
  user_id = 'absent',
  email = 'absent',
}: {
  user_id?: string | undefined
  email?: string | undefined
}): boolean {
  return user_id !== '' && email.trim() !== ''
}

const EMPTY = 'Fields `user_id` and `email` must not be empty. Send one of them, and leave the other out.'

const page = { project, limit, before: cursor, fields: eventFields, ...person }

const eventsFilter = {
  ...page,
  ...questionOfWeek,
  event: eventName,
  session_id: sessionId,
}

/** POST /events: the same as GET /events, and by e-mail address. */
export const eventsBody = z.object(eventsFilter)

/** POST /events/lookup needs a person. */
export const eventsLookupBody = z.object(eventsFilter).refine(isNotEmpty, EMPTY).refine(namesPerson, NEITHER)

export const journeyParams = z
  .object({
    ...page,
    ...questionOfMonth,
    order: oneOf('order', ['asc', 'desc']).optional().meta({
      description:
        '`desc`: the newest events, newest first. `asc`: the oldest, oldest first. Default: the newest events, printed oldest first',
    }),
  })
  .refine(isNotEmpty, EMPTY)
  .refine(namesPerson, NEITHER)

const profile = z.object({
  user_id: z.string().meta({ description: 'The id that all linked ids of the user resolve to' }),
  project: z.string().optional(),
  traits: z.record(z.string(), z.unknown()).optional().meta({ description: 'From POST /identify' }),
})

export const lookupResponse = eventsResponse
  .extend({ profiles: z.array(profile) })
  .meta({ id: 'EventsLookup' })

export const journeyResponse = z
  .object({
    project: z.string(),
    profiles: z.array(profile),
    period: datedPeriod,
    events: z
      .array(z.union([eventRow, pickedRow]))
      .meta({ description: 'Oldest first, but with `order=desc` newest first' }),
    count: z.int(),
    next_before: nextBefore,
    has_replay: z.boolean(),
    replay_count: z.int().meta({ description: 'Replays of the sessions of these events' }),
    truncated: z.literal(true).optional().meta({ description: 'Present when there are more events' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Journey' })
