import * as z from 'zod'
import { failsWith, parseSince, project } from './fields.ts'
import { flag } from './read-options.ts'

/**
 * A person of more ids than this is erased only with their number as `confirm`. The first ones are named in
 * the error.
 */
export const UNCONFIRMED_IDS = 20
/** Ids that a dry run lists. */
export const LISTED_IDS = 1_000

/** An id that stands elsewhere than in the path. */
const otherId = z
  .string()
  .min(1, 'Field `user_id` is empty. Send an id of the person, or leave it out.')
  .optional()

const CONFIRM_RULE = 'Parameter `confirm` must be a whole number: how many ids the person has.'

export const erasePersonQuery = z.object({
  project,
  user_id: otherId.meta({
    description:
      'An id of the person in place of that in the path, which may be `-`: for ids with `/`, `%` or `+`',
  }),
  confirm: z.coerce
    .number(CONFIRM_RULE)
    .int(CONFIRM_RULE)
    .min(1, CONFIRM_RULE)
    .optional()
    .meta({ description: 'How many ids the person has. Needed for more than 20 ids' }),
  dry_run: flag('dry_run', 'Erases nothing and returns what an erasure would cover.'),
})

export const erasePersonBody = z.object({
  user_id: otherId.meta({
    description: 'An id of the person in place of that in the path: so it is in no log of addresses',
  }),
})

export const erasureDryRun = z
  .object({
    dry_run: z.literal(true),
    ids: z.array(z.string()).meta({ description: 'Ids of the person, at most 1,000' }),
    count: z.int().meta({ description: 'How many ids the person has: the number for `confirm`' }),
    truncated: z.literal(true).optional().meta({ description: 'There if `ids` has not all of them' }),
    events: z
      .int()
      .meta({ description: 'Events of the person that reads return, in all projects of the identity scope' }),
  })
  .meta({ id: 'ErasureDryRun' })

export const erasureStarted = z
  .object({
    ok: z.literal(true),
    erasure_id: z.string().meta({ example: 'era_0123456789abcdef' }),
    status: z.literal('pending'),
  })
  .meta({ id: 'ErasureStarted' })

/** The receipt of an erasure. It names no user. */
export const erasure = z
  .object({
    id: z.string(),
    project: z.string(),
    status: z.enum(['pending', 'running', 'done']).meta({
      description: 'The events are hidden since the request. `done`: no file of the lake has them any more',
    }),
    requested_at: z.int().meta({ description: 'Unix ms' }),
    completed_at: z.int().nullable().meta({ description: 'Unix ms' }),
    removed: z.object({
      events: z.int().meta({ description: 'Events of the person that reads returned at the request' }),
      sessions: z.int().meta({ description: 'Sessions that had events of the person at the request' }),
      links: z.int(),
      profiles: z.int(),
      replays: z.int(),
      files_rewritten: z.int().meta({
        description: 'Files that were written anew so far, also for other erasures',
      }),
    }),
  })
  .meta({ id: 'Erasure' })

const SINCE_RULE =
  'Parameter `since` takes a number of days such as `7d`, a date in UTC such as `2026-11-01`, or the `next_since` of an earlier response.'
const AFTER_RULE = 'Parameter `after` takes the `next_after` of the page before.'

export const listErasuresQuery = z.object({
  project,
  since: z
    .string()
    .refine(text => parseSince(text) !== null, { message: SINCE_RULE, ...failsWith('INVALID_SINCE') })
    .optional()
    .meta({
      description:
        'Erasures from then on: the `next_since` of an earlier response, `7d`, or a date in UTC; at most 38 days ago. Default: now, for a first `next_since`',
    }),
  after: z
    .string()
    .regex(/^\d{15}#[0-9a-f]{32}$/, AFTER_RULE)
    .optional()
    .meta({ description: 'For the next page: `next_after` of the page before' }),
})

/** What a copy of the events needs to lose the persons who were erased since. It names no user. */
export const erasureList = z
  .object({
    project: z.string(),
    project_id: z.string(),
    erasures: z
      .array(
        z.object({
          erased_until: z
            .int()
            .meta({ description: 'Unix ms: events of these ids that arrived until then are erased' }),
          users: z.array(z.string()).meta({
            description: 'The first 32 hexadecimal digits of the SHA-256 of `<project_id>:<user_id>`',
          }),
        }),
      )
      .meta({ description: 'In the order in which they were noted; one may come twice' }),
    next_after: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `after` with the same `since`; null: this is the last page' }),
    next_since: z.string().meta({
      description: 'Of the last page: send it as `since` when you look again. A minute before the response',
    }),
  })
  .meta({ id: 'ErasureList' })
