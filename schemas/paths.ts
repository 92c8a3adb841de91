import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { datedPeriod, project, questionOfMonth, wholeNumber } from './fields.ts'

const GOAL = 'Field `goal_event` must be an event name of 1 to 256 characters.'

/** POST /paths (docs/api/paths.md). */
export const pathsBody = z.object({
  project,
  goal_event: z
    .string(GOAL)
    .transform(text => text.trim())
    .refine(text => text.length >= 1 && text.length <= 256, GOAL)
    .meta({
      description: 'The event that the sessions should reach',
      override: { type: 'string', minLength: 1, maxLength: 256 },
    }),
  ...questionOfMonth,
  max_steps: wholeNumber('max_steps', 1, 5).default(5).meta({ description: 'Depth of the trees' }),
  entry_limit: wholeNumber('entry_limit', 1, 20)
    .default(10)
    .meta({ description: 'The largest number of entry pages' }),
  path_limit: wholeNumber('path_limit', 1, 10)
    .default(5)
    .meta({ description: 'The largest number of children of each node' }),
  candidate_session_cap: wholeNumber('candidate_session_cap', 100, 10_000)
    .default(5_000)
    .meta({ description: 'The largest number of sessions that are followed, the newest ones' }),
})

export const NODE_TYPES = ['page', 'event', 'goal', 'drop_off', 'truncated'] as const

export type PathNode = {
  type: (typeof NODE_TYPES)[number]
  value: string
  exit_page?: string | null
  sessions: number
  conversions: number
  conversion_rate: number
  reached: number
  children: PathNode[]
}

const reached = z.int().meta({
  description: 'Sessions that sent the goal at any time, also after `max_steps`',
})

const pathNode: z.ZodType<PathNode> = z
  .object({
    type: z.enum(NODE_TYPES),
    value: z.string().meta({ description: 'The path of a page, the name of an event, or the exit page' }),
    exit_page: z.string().nullable().optional().meta({
      description:
        'Only of drop_off (the session ended without the goal) and truncated (it went on after max_steps)',
    }),
    sessions: z.int(),
    conversions: z.int(),
    conversion_rate: z.number(),
    reached,
    get children() {
      return z.array(pathNode)
    },
  })
  .meta({ id: 'PathNode' })

export const pathsResponse = z
  .object({
    project: z.string(),
    goal_event: z.string(),
    period: datedPeriod,
    reached,
    bounds: z.object({
      max_steps: z.int(),
      entry_limit: z.int(),
      path_limit: z.int(),
      candidate_session_cap: z.int(),
    }),
    entry_paths: z.array(
      z.object({
        entry_page: z.string(),
        sessions: z.int(),
        conversions: z.int(),
        conversion_rate: z.number(),
        reached,
        exit_pages: z.array(
          z.object({
            exit_page: z.string(),
            sessions: z.int(),
            conversions: z.int(),
            conversion_rate: z.number(),
            reached,
            drop_offs: z.int(),
            drop_off_rate: z.number(),
          }),
        ),
        tree: z.array(pathNode),
      }),
    ),
    truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'Present when a bound has cut entry pages, sessions or nodes' }),
    ...contextOfResponse,
  })
  .meta({ id: 'Paths' })
