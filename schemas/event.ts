import * as z from 'zod'

/**
 * Bounds of one tracked event (docs/api/ingestion.md). Lengths are in UTF-16 code units, sizes in UTF-8
 * bytes.
 */
export const EVENT_LIMITS = {
  nameChars: 256,
  idChars: 256,
  propertiesBytes: 8192,
  /**
   * Objects and lists inside each other in a body. Whatever fits into the bytes of properties is stored
   * (U62), which is 4,096 levels, in an event, a list and the body. JSON.stringify fails at about 4,450.
   */
  bodyDepth: 4_099,
  /**
   * Values in a body: as many as its bytes can hold, because whatever fits into properties is stored. Events
   * are checked by hand, and that ends at the first field that is wrong.
   */
  bodyValues: 1_048_576,
  batchEvents: 100,
  pastMs: 30 * 24 * 3_600_000,
  futureMs: 5 * 60_000,
} as const

/** The sender's own id of an event. Events with the same id within 24 h are stored once. */
export const EVENT_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/

/**
 * A session in which all events have one of these names is a bounce: nobody has done anything. The tracker
 * sends them by itself, also the exposure to an experiment (U66).
 */
export const NON_INTERACTIVE_EVENTS = [
  'page_view',
  '$impression',
  '$scroll_depth',
  '$error',
  '$time_on_page',
  '$performance',
  '$web_vitals',
  '$experiment_exposure',
] as const

const propertiesSchema = z.record(z.string(), z.unknown()).meta({
  description: 'Any properties, at most 8192 bytes as JSON. Keys that contain `email` are not stored.',
})

/**
 * One event of a request. Only the OpenAPI document uses this schema: core/ingest checks events by hand,
 * because each rule has its own error code and a general parser would be too slow there.
 */
export const trackedEvent = z
  .object({
    token: z
      .string()
      .meta({ description: "The project's public token, aat_…", example: 'aat_0123456789abcdef' }),
    event: z.string().min(1).max(EVENT_LIMITS.nameChars).meta({ example: 'signup' }),
    properties: propertiesSchema.nullish(),
    user_id: z.string().max(EVENT_LIMITS.idChars).nullish(),
    session_id: z.string().max(EVENT_LIMITS.idChars).nullish(),
    timestamp: z
      .number()
      .nullish()
      .meta({ description: 'Unix ms, from 30 days ago to 5 minutes ahead; default: now' }),
    age: z.number().min(0).max(EVENT_LIMITS.pastMs).nullish().meta({
      description: 'How many ms ago it happened, for senders whose clock may be wrong; not with `timestamp`',
    }),
    event_id: z.string().regex(EVENT_ID_PATTERN).nullish().meta({
      description:
        'Your own id of the event. Events with the same id within 24 h are stored once, so you may retry.',
    }),
  })
  .meta({ id: 'TrackedEvent' })

/** An event that POST /track/check judges. */
export const checkedEvent = trackedEvent
  .extend({
    origin: z.string().optional().meta({
      description: 'Judge it as if a page of this origin had sent it; default: the header Origin, if any',
    }),
    user_agent: z.string().optional().meta({
      description: 'Judge it as if this client had sent it; default: the header User-Agent',
    }),
  })
  .meta({ id: 'CheckedEvent' })

export const trackBatch = z
  .object({ events: z.array(trackedEvent).min(1).max(EVENT_LIMITS.batchEvents) })
  .meta({ id: 'TrackBatch' })

export const queuedResponse = z
  .object({ ok: z.literal(true), queued: z.literal(true) })
  .meta({ id: 'Queued' })
export const queuedBatchResponse = queuedResponse.extend({ count: z.int() }).meta({ id: 'QueuedBatch' })

/** One event in the response of a read (docs/api/events.md). */
export const eventRow = z
  .object({
    id: z.string().meta({ description: 'ULID; sorts by timestamp, then by arrival' }),
    event_id: z.string().optional(),
    project_id: z.string(),
    project: z
      .string()
      .optional()
      .meta({ description: 'Name of the project, if a lookup covers several projects of a portfolio' }),
    event: z.string(),
    properties: propertiesSchema.nullable(),
    user_id: z.string().nullable(),
    session_id: z.string().nullable(),
    timestamp: z.int().meta({ description: 'Unix ms' }),
    date: z.string().meta({ description: 'UTC date of timestamp' }),
    country: z.string().nullable(),
  })
  .meta({ id: 'EventRow' })

export type EventRow = z.infer<typeof eventRow>
