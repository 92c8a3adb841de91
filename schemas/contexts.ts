import * as z from 'zod'

/**
 * Project context and portfolio context (contract 1.4 and 1.12). Unknown keys are refused, unlike anywhere else, and
 * every broken rule is INVALID_BODY.
 */

/** Largest body of a context, bytes. */
export const MAX_CONTEXT_BYTES = 524_288

function text(max: number) {
  const rule = `takes a text of up to ${max} characters`
  return z.string(rule).max(max, rule)
}

function list<T extends z.ZodType>(item: T, max: number) {
  const rule = `takes a list of up to ${max} entries`
  return z.array(item, rule).max(max, rule).default([])
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/
const ISO_RULE = 'takes an ISO 8601 date or date-time'

const annotation = z.strictObject({
  occurred_at: z.string(ISO_RULE).refine(at => ISO.test(at) && !Number.isNaN(Date.parse(at)), ISO_RULE),
  title: text(120),
  note: text(500).nullable().optional(),
})

const projectLists = {
  goals: list(text(160), 5),
  activation_events: list(text(96), 8),
  glossary: list(z.strictObject({ event_name: text(96), term: text(64), definition: text(240) }), 10),
  annotations: list(annotation, 100),
}

const portfolioLists = {
  goals: list(text(160), 5),
  surface_roles: list(
    z.strictObject({
      project: z.string('takes the name or id of a project').nullable().optional(),
      project_id: z.string('takes the id of a project').nullable().optional(),
      role: text(64),
    }),
    20,
  ),
  shared_milestones: list(text(96), 8),
  glossary: list(
    z.strictObject({ term: text(64), definition: text(240), event_name: text(96).nullable().optional() }),
    10,
  ),
}

export const contextQuery = z.object({ project: z.string() })
export const putProjectContext = z.strictObject({ project: z.string().optional(), ...projectLists })
export const putPortfolioContext = z.strictObject(portfolioLists)

export const projectContext = z.object(projectLists).meta({ id: 'ProjectContext' })
export type ProjectContext = z.output<typeof projectContext>

export const projectContextResponse = z
  .object({
    ok: z.literal(true).optional(),
    project: z.string(),
    project_id: z.string(),
    project_context: projectContext,
  })
  .meta({ id: 'ProjectContextResponse' })

export const portfolioContext = z.object(portfolioLists).meta({ id: 'PortfolioContext' })
export type PortfolioContext = z.output<typeof portfolioContext>

export const portfolioContextResponse = z
  .object({ ok: z.literal(true).optional(), portfolio_context: portfolioContext })
  .meta({ id: 'PortfolioContextResponse' })
