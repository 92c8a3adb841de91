import * as z from 'zod'
import { project } from './fields.ts'

export const erasePersonQuery = z.object({ project })

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
      description:
        'The events are hidden since the request. `done`: no file of the lake has them any more, and on one machine neither log nor state. On AWS the event stream and old versions of objects keep them for a limited time (docs/operations.md)',
    }),
    requested_at: z.int().meta({ description: 'Unix ms' }),
    completed_at: z.int().nullable().meta({ description: 'Unix ms' }),
    removed: z.object({
      events: z.int().meta({ description: 'Events that were removed from files so far' }),
      sessions: z.int().meta({ description: 'Sessions that had events of the person at the request' }),
      links: z.int(),
      profiles: z.int(),
      replays: z.int(),
      files_rewritten: z.int().meta({ description: 'Parts of segments that were written anew so far' }),
    }),
  })
  .meta({ id: 'Erasure' })
