import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { wholeNumber } from './fields.ts'
import { keyOf, splitField } from './property-names.ts'
import { readExtras, readOptions } from './read-options.ts'

/** GET /live and GET /stream (docs/api/live.md). */

const project = z.string().optional().meta({
  description: "The project's name or id; default: the oldest project of the account",
  example: 'demo',
})

export const liveQuery = z.object({
  project,
  window: wholeNumber('window', 10, 300).default(60).meta({
    description: 'Length of the window that ends now, seconds',
  }),
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'Parameter `after` must be the `cursor` of an earlier answer.')
    .optional()
    .meta({
      description: 'The `cursor` of an earlier answer: the window begins there, and `window` does not count',
    }),
})

/** No statement runs, so `sql` is no option. */
export const liveOptions = readOptions.pick({ compact: true, receipt: true })

export const liveResponse = z
  .object({
    project: z.string(),
    window_seconds: z.int(),
    timestamp: z.int().meta({ description: 'The end of the window, Unix ms' }),
    cursor: z.string().meta({ description: 'Send it as `after` for what comes next' }),
    follow: z.enum(['poll', 'stream']).meta({
      description:
        'How to go on here: `poll` is GET /live with `after`, every 5 s, and `stream` is GET /stream. Polling works everywhere',
    }),
    active_visitors: z.int().meta({ description: 'Different users, without those of past events' }),
    active_sessions: z.int().meta({ description: 'Different sessions, without those of past events' }),
    events_per_minute: z.int(),
    past_events: z.int().meta({
      description:
        'Events of the window that happened over 5 minutes before they arrived, such as those of an import',
    }),
    top_pages: z
      .array(z.object({ path: z.string(), visitors: z.int() }))
      .meta({ description: 'The 10 paths with the most users; events without a user count by session' }),
    top_events: z.array(z.object({ event: z.string(), count: z.int() })).meta({ description: 'At most 10' }),
    countries: z.array(
      z.object({ country: z.string(), visitors: z.int(), sessions: z.int(), events: z.int() }),
    ),
    recent_events: z
      .array(
        z.object({
          id: z.string(),
          event: z.string(),
          properties: z.record(z.string(), z.unknown()).nullable(),
          user_id: z.string().nullable(),
          session_id: z.string().nullable(),
          timestamp: z.int().meta({ description: 'Unix ms' }),
          country: z.string().nullable(),
        }),
      )
      .meta({
        description: 'The 10 newest arrivals of the window, newest first; with `after` the 100 newest',
      }),
    truncated: z.literal(true).optional().meta({
      description:
        'Present when the window has more events, or bytes of them, than live reads see: the counts are of the newest ones',
    }),
    ...contextOfResponse,
    receipt: readExtras.receipt,
    warnings: readExtras.warnings,
  })
  .meta({ id: 'Live' })

export type Live = z.infer<typeof liveResponse>

const MAX_FILTER_CHARS = 4_096

export const streamQuery = z.object({
  project,
  events: z
    .string()
    .max(
      MAX_FILTER_CHARS,
      `Parameter \`events\` is longer than ${MAX_FILTER_CHARS} characters. Name fewer events.`,
    )
    .optional()
    .meta({
      description: 'Names of events, separated by commas; default: all events',
      example: 'signup,page_view',
    }),
  filter: z
    .string()
    .max(
      MAX_FILTER_CHARS,
      `Parameter \`filter\` is longer than ${MAX_FILTER_CHARS} characters. Use fewer pairs.`,
    )
    .refine(text => parseFilterPairs(text) !== null, {
      message: 'Parameter `filter` must be pairs such as `path:/pricing;utm_source:news`.',
    })
    .optional()
    .meta({
      description:
        'Pairs `key:value` of properties, or of `country`, `user_id` or `session_id`, separated by `;`. All must hold.',
      example: 'path:/pricing;utm_source:news',
    }),
})

/**
 * Reads `filter`. Each pair is split at the colon behind its field; a `;` at the end is ignored. Null: the
 * text is no list of pairs.
 */
export function parseFilterPairs(text: string): [key: string, value: string][] | null {
  if (text === '') return []
  const pairs: [key: string, value: string][] = []
  for (let rest = text; rest !== ''; ) {
    const [key = '', after = ''] = splitField(rest) ?? []
    if (key === '' || (key.includes(';') && keyOf(key) === undefined)) return null
    const [value = ''] = after.split(';', 1)
    pairs.push([key, value])
    rest = after.slice(value.length + 1)
  }
  return pairs
}
