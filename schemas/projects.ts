import * as z from 'zod'
import { isTimeZone, wholeNumber } from './fields.ts'
import { refusedEvents } from './refusals.ts'

/**
 * Why two ids are not linked although a request asks for it: one is an id that many people share by mistake;
 * without a credential only an anonymous id can be linked; without one an anonymous id that stands for
 * identified ids cannot; the previous id is linked to another id already; the link would lead an id to
 * itself.
 */
export const REFUSED_LINKS = [
  'shared_id',
  'not_anonymous',
  'identified',
  'already_linked',
  'loop',
  'no_room',
] as const
export type RefusedLink = (typeof REFUSED_LINKS)[number]

export const PROJECT_NAME = /^[A-Za-z0-9._-]{1,64}$/

const NAME_RULE = 'Field `name` must have 1 to 64 characters of `A-Z a-z 0-9 . _ -`.'
const name = z.string(NAME_RULE).regex(PROJECT_NAME, NAME_RULE).meta({ example: 'shop' })
/** Code points of a display name. */
const MAX_DISPLAY_NAME = 64
/**
 * Letters that show. Control, bidi, zero-width and other characters that do not show, or that change the
 * order of others, are none (core/text/clean-text.ts has the same classes).
 */
const SHOWN_TEXT = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u
const DISPLAY_NAME_RULE = `Field \`display_name\` must be a text of at most ${MAX_DISPLAY_NAME} characters that all show, without blanks at its ends, or an empty text for none.`
const displayName = z
  .string(DISPLAY_NAME_RULE)
  .refine(
    text => [...text].length <= MAX_DISPLAY_NAME && text === text.trim() && SHOWN_TEXT.test(text),
    DISPLAY_NAME_RULE,
  )
  .meta({
    description: `What people read instead of \`name\`, at most ${MAX_DISPLAY_NAME} characters; an empty text: none`,
    example: 'Café Zürich',
  })

const ORIGINS_RULE =
  'Field `allowed_origins` must be `*` or a comma-separated list of origins such as `https://example.com`.'
const allowedOrigins = z.string(ORIGINS_RULE).meta({
  description: '`*` or a comma-separated list of origins. The first origin is the primary one.',
  example: 'https://example.com',
})

const TIMEZONE_RULE =
  'Field `timezone` must be an IANA time zone such as `Europe/Berlin`, or an empty text for none.'
const timezone = z
  .string(TIMEZONE_RULE)
  .refine(text => text === '' || isTimeZone(text), TIMEZONE_RULE)
  .meta({
    description: 'IANA time zone of reads without `tz`; an empty text: UTC',
  })

/** A century: whoever wants more wants all. */
const MAX_RETENTION_DAYS = 36_500
const RETENTION_RULE = `Field \`retention_days\` must be a whole number from 1 to ${MAX_RETENTION_DAYS}, or 0 for as long as the plan keeps events.`
const retentionDays = z
  .int(RETENTION_RULE)
  .min(0, RETENTION_RULE)
  .max(MAX_RETENTION_DAYS, RETENTION_RULE)
  .meta({
    description:
      'Days for which events and replays are kept, at most as many as the plan keeps; 0: as the plan',
  })

export const createProject = z.object({
  name,
  allowed_origins: allowedOrigins.optional(),
  timezone: timezone.optional(),
  source_scan_id: z
    .string('Field `source_scan_id` must be the id of a website analysis.')
    .optional()
    .meta({ description: 'A website analysis of the account. Its host is the host of the primary origin.' }),
})

const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i
const LINK_DOMAINS_RULE =
  'Field `link_domains` must be a list of at most 20 host names such as `shop.example.com`.'
const linkDomains = z
  .array(z.string(LINK_DOMAINS_RULE).regex(HOST, LINK_DOMAINS_RULE), LINK_DOMAINS_RULE)
  .max(20, LINK_DOMAINS_RULE)
  .meta({ description: 'Hosts that share users with this project', example: ['shop.example.com'] })

export const updateProject = z
  .object({
    name: name.optional(),
    display_name: displayName.optional(),
    allowed_origins: allowedOrigins.optional(),
    link_domains: linkDomains.optional(),
    timezone: timezone.optional(),
    retention_days: retentionDays.optional(),
  })
  .refine(
    body => Object.values(body).some(value => value !== undefined),
    'Send at least one of the fields `name`, `display_name`, `allowed_origins`, `link_domains`, `timezone` and `retention_days`.',
  )

/** The project record of docs/api/projects.md. */
export const projectRecord = z
  .object({
    id: z.string().meta({ example: 'proj_0123456789abcdef' }),
    name: z.string(),
    display_name: z.string().nullable().meta({
      description: 'What people read instead of `name`; null: nothing else',
    }),
    project_token: z.string().meta({ description: 'Public. The page sends it with each event.' }),
    allowed_origins: z.string(),
    timezone: z.string().nullable().meta({
      description: 'IANA time zone of reads without `tz`; null: UTC',
    }),
    retention_days: z.int().nullable().meta({
      description: 'Days for which its events and replays are kept; null: as long as the plan keeps them',
    }),
    total_events: z.int().meta({
      description: 'Stored events, at once; a copy by `event_id` counts until it is compacted',
    }),
    total_reads: z.int(),
    first_event_at: z.string().nullable().meta({
      description: 'ISO 8601: the time of the first event that was counted. null: none yet',
    }),
    last_event_at: z.string().nullable(),
    source_scan_id: z.string().nullable(),
    created_at: z.string().meta({ description: 'ISO 8601' }),
  })
  .meta({ id: 'Project' })

export type ProjectRecord = z.infer<typeof projectRecord>

export const projectList = z
  .object({ projects: z.array(projectRecord), has_api_key: z.boolean(), tier: z.enum(['free', 'pro']) })
  .meta({ id: 'ProjectList' })

export const createdProject = projectRecord
  .extend({
    snippet: z.string().meta({ description: 'The script tag for the page' }),
    snippet_note: z.string().optional(),
    api_example: z.string().meta({ description: 'A curl line for GET /stats' }),
    existing: z.literal(true).optional(),
  })
  .meta({ id: 'CreatedProject' })

/** The project record, with id and name again under `project` for clients that expect them there. */
export const readProject = projectRecord
  .extend({
    project: z.object({ id: z.string(), name: z.string() }),
    link_domains: z.array(z.string()),
    usage_today: z.object({ event_count: z.int(), read_count: z.int() }),
    refused: z
      .object({
        links: z.partialRecord(z.enum(REFUSED_LINKS), z.int()),
        traits: z.int(),
        events: z.array(refusedEvents).meta({
          description:
            'Why events were not stored in the last seven days, and what to change; the newest first',
        }),
      })
      .meta({
        description: '`links`, `traits`: what identify requests have asked for and was not done, by reason',
      }),
  })
  .meta({ id: 'ReadProject' })

export const deletedProject = z.object({ ok: z.literal(true), deleted: z.string() }).meta({ id: 'Deleted' })

export const projectUsageQuery = z.object({
  days: wholeNumber('days', 1, 90).default(7).meta({ description: 'How many UTC dates, today included' }),
})

export const projectUsage = z
  .object({
    project: z.string(),
    days: z.int(),
    rows: z.array(z.object({ date: z.string(), event_count: z.int(), read_count: z.int() })),
  })
  .meta({ id: 'ProjectUsage' })
