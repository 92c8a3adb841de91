import * as z from 'zod'
import { project } from './fields.ts'
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
