import * as z from 'zod'
import { CHANNELS } from './channels.ts'
import { oneOf, parseSince, project } from './fields.ts'

/**
 * Project context and portfolio context (docs/api/projects.md). Unknown keys are refused, unlike anywhere
 * else, and every broken rule is INVALID_BODY.
 */

/** Largest body of a context, bytes. */
export const MAX_CONTEXT_BYTES = 524_288

function text(name: string, max: number) {
  const rule = `Field \`${name}\` takes texts of up to ${max} characters.`
  return z.string(rule).max(max, rule)
}

function list<T extends z.ZodType>(name: string, item: T, max: number) {
  const rule = `Field \`${name}\` takes a list of up to ${max} entries.`
  return z.array(item, rule).max(max, rule).default([])
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/
const PROJECT_RULE = 'Field `surface_roles` takes entries with the name or id of a project.'

/** Annotations that are items of their own, of a project: a release a day for nearly three years. */
export const MAX_ANNOTATIONS = 1_000
/** Annotations in the list of a context. */
const MAX_LISTED_ANNOTATIONS = 100

/** `where`: the field that holds the annotation, with a full stop; empty for the body itself. */
function annotationFields(where: string) {
  const rule = `Field \`${where}occurred_at\` takes an ISO 8601 date or date-time.`
  return {
    // ISO refuses `7d`, which parseSince accepts. parseSince refuses a date that no calendar has, as
    // 2026-02-30.
    occurred_at: z
      .string(rule)
      .refine(at => ISO.test(at) && parseSince(at) !== null, rule)
      .meta({ description: 'ISO 8601 date or date-time. A time without an offset is UTC' }),
    title: text(`${where}title`, 120),
    note: text(`${where}note`, 500).nullable().optional(),
  }
}

const ID_RULE =
  'Field `annotations.id` takes the id of an annotation that GET /project-context has. Leave it out for a new one.'

const contextAnnotation = z.strictObject({
  ...annotationFields('annotations.'),
  id: z
    .string(ID_RULE)
    .regex(/^ann_[0-9a-f]{17}(?:[0-9a-f]{5})?$/, ID_RULE)
    .nullable()
    .optional()
    .meta({ description: 'Of an annotation that is an item of its own. A PUT leaves those as they are' }),
})

const LISTED_RULE = `Field \`annotations\` takes up to ${MAX_LISTED_ANNOTATIONS} entries without an \`id\`. POST /projects/{id}/annotations takes more.`

const contextAnnotations = z
  .array(contextAnnotation, LISTED_RULE)
  .max(MAX_LISTED_ANNOTATIONS + MAX_ANNOTATIONS, LISTED_RULE)
  .refine(entries => entries.filter(({ id }) => id == null).length <= MAX_LISTED_ANNOTATIONS, LISTED_RULE)
  .default([])

const projectTerm = z.strictObject({
  event_name: text('glossary.event_name', 96),
  term: text('glossary.term', 64),
  definition: text('glossary.definition', 240),
})

/** What a rule of `channels` may compare. */
const RULE_FIELDS = ['referrer_host', 'utm_source', 'utm_medium', 'utm_campaign', 'click_id'] as const
const RULE_OPS = ['eq', 'prefix', 'suffix', 'contains', 'glob'] as const

const channelRule = z.strictObject({
  channel: oneOf('channels.channel', CHANNELS),
  field: oneOf('channels.field', RULE_FIELDS),
  op: oneOf('channels.op', RULE_OPS),
  value: text('channels.value', 96),
})
const CHANNELS_RULE = 'Field `channels` takes a list of 1 to 20 rules. Leave it out to have none.'
export type ChannelRule = z.output<typeof channelRule>

const projectLists = {
  goals: list('goals', text('goals', 160), 5),
  activation_events: list('activation_events', text('activation_events', 96), 8),
  glossary: list('glossary', projectTerm, 10),
  /** Absent without any, because the specification has the other lists alone. */
  channels: z.array(channelRule, CHANNELS_RULE).min(1, CHANNELS_RULE).max(20, CHANNELS_RULE).optional().meta({
    description: 'Rules of this project that name channels, before those of everybody (/sources.md)',
  }),
  annotations: contextAnnotations,
}

const surfaceRole = z.strictObject({
  project: z.string(PROJECT_RULE).nullable().optional(),
  project_id: z.string(PROJECT_RULE).nullable().optional(),
  role: text('surface_roles.role', 64),
})

const portfolioTerm = z.strictObject({
  term: text('glossary.term', 64),
  definition: text('glossary.definition', 240),
  event_name: text('glossary.event_name', 96).nullable().optional(),
})

const portfolioLists = {
  goals: list('goals', text('goals', 160), 5),
  surface_roles: list('surface_roles', surfaceRole, 20),
  shared_milestones: list('shared_milestones', text('shared_milestones', 96), 8),
  glossary: list('glossary', portfolioTerm, 10),
}

export const contextQuery = z.object({ project })
export const putProjectContext = z.strictObject({ project: project.optional(), ...projectLists })
export const putPortfolioContext = z.strictObject(portfolioLists)

/** POST /projects/{id}/annotations. */
export const createAnnotation = z.strictObject(annotationFields(''))
export type NewAnnotation = z.output<typeof createAnnotation>

/** An annotation that is an item of its own. */
export const annotation = z.object({ id: z.string(), ...annotationFields('') }).meta({ id: 'Annotation' })
export type Annotation = z.output<typeof annotation>

const etag = z.string().meta({
  description: 'Version of the lists that a PUT replaces, as in the header ETag. Send it as If-Match',
})

export const projectContext = z.object(projectLists).meta({ id: 'ProjectContext' })
export type ProjectContext = z.output<typeof projectContext>

/** The field of every response that is about one project; absent if the context is empty (R16). */
export const contextOfResponse = {
  project_context: projectContext.optional().meta({
    description:
      'What the owner says about the numbers. Its annotations are of the range and a day around it',
  }),
}

export const projectContextResponse = z
  .object({
    ok: z.literal(true).optional(),
    project: z.string(),
    project_id: z.string(),
    project_context: projectContext,
    etag,
  })
  .meta({ id: 'ProjectContextResponse' })

export const portfolioContext = z.object(portfolioLists).meta({ id: 'PortfolioContext' })
export type PortfolioContext = z.output<typeof portfolioContext>

export const portfolioContextResponse = z
  .object({ ok: z.literal(true).optional(), portfolio_context: portfolioContext, etag })
  .meta({ id: 'PortfolioContextResponse' })
