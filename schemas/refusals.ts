import * as z from 'zod'

/** Why events of a project were not stored (U113), and what the newest of them says about it in `last`. */
export const REFUSAL_REASONS = {
  origin: 'a page of an origin that `allowed_origins` lacks; `last`: its origin',
  time: '`timestamp` or `age` is out of its bounds; `last`: the message',
  size: '`properties` or the batch is too large, or `properties` is no object; `last`: the message',
  name: 'the name or an id is missing, is no text or is too long; `last`: the message',
  token: 'a batch with the tokens of two projects; `last`: the message',
  credential: 'a server with a credential that is wrong; `last`: the message',
  bot: 'a bot, by its User-Agent; `last`: its name and category',
  limit: 'over a limit or cap; `last`: the message',
} as const

export type RefusalReason = keyof typeof REFUSAL_REASONS

const reasonNames = Object.keys(REFUSAL_REASONS) as [RefusalReason, ...RefusalReason[]]
export const refusalReason = z.enum(reasonNames)

/** What was refused for one reason. */
export const refusedEvents = z
  .object({
    reason: refusalReason,
    events: z.int().meta({ description: 'Events and identify requests of the last seven days (UTC dates)' }),
    last_at: z.string().meta({ description: 'ISO 8601: when the newest was refused' }),
    last: z.string().nullable().meta({ description: 'What the newest of them says about the reason' }),
    fix: z.string().meta({ description: 'What to change so that they are stored' }),
    hours: z
      .array(z.object({ hour: z.string(), events: z.int() }))
      .meta({ description: 'The hours of the last 24 that have some, oldest first; ISO 8601' }),
  })
  .meta({ id: 'RefusedEvents' })

export type RefusedEvents = z.infer<typeof refusedEvents>

/** What POST /track/check answers (U114). */
export const trackVerdict = z
  .object({
    would: z.enum(['store', 'refuse', 'count_as_bot']).meta({
      description: 'What POST /track would do. It answers 202 to bots, too, and stores nothing of them',
    }),
    reason: refusalReason.nullable().meta({ description: 'Why it would not be stored' }),
    error: z.string().nullable().meta({ description: 'The error code that POST /track would answer' }),
    message: z.string().nullable().meta({ description: 'Its message, which says what to change' }),
    bot: z.object({ category: z.string(), actor: z.string() }).nullable(),
    project: z.object({ id: z.string(), name: z.string().nullable() }).nullable().meta({
      description:
        'The project of the token; its name only with a credential of its account. null: no project has the token',
    }),
  })
  .meta({ id: 'TrackVerdict' })

export type TrackVerdict = z.infer<typeof trackVerdict>
