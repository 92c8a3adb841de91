import * as z from 'zod'

/** Identity portfolios (docs/api/portfolios.md). */

const SLUG_RULE = 'Field `slug` must have 1 to 64 characters of `a-z 0-9 -`, and must not begin with `-`.'
const NAME_RULE = 'Field `name` must be a text of 1 to 128 characters.'
const PROJECTS_RULE = 'Field `projects` must be a list of at most 100 names or ids of projects.'

const name = z.string(NAME_RULE).min(1, NAME_RULE).max(128, NAME_RULE)
const projects = z
  .array(z.string(PROJECTS_RULE), PROJECTS_RULE)
  .max(100, PROJECTS_RULE)
  .meta({ description: 'Names or ids of projects' })
const allowMove = z
  .boolean('Field `allow_move` must be true or false.')
  .default(false)
  .meta({ description: 'Whether a project may be taken out of another portfolio' })

export const createPortfolio = z.object({
  slug: z
    .string(SLUG_RULE)
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, SLUG_RULE)
    .meta({ example: 'acme' }),
  name,
  projects: projects.default([]),
  allow_move: allowMove,
})

export const updatePortfolio = z
  .object({ name: name.optional(), projects: projects.optional(), allow_move: allowMove })
  .refine(
    body => body.name !== undefined || body.projects !== undefined,
    'Send at least one of the fields `name` and `projects`.',
  )

export const portfolioRecord = z
  .object({
    id: z.string().meta({ example: 'pf_0123456789abcdef' }),
    slug: z.string(),
    name: z.string(),
    members: z.array(z.object({ project_id: z.string(), project: z.string() })),
    created_at: z.string().meta({ description: 'ISO 8601' }),
    updated_at: z.string().meta({ description: 'ISO 8601' }),
  })
  .meta({ id: 'Portfolio' })

export type PortfolioRecord = z.infer<typeof portfolioRecord>

export const portfolioList = z.object({ portfolios: z.array(portfolioRecord) }).meta({ id: 'PortfolioList' })
export const onePortfolio = z.object({ portfolio: portfolioRecord }).meta({ id: 'OnePortfolio' })
export const changedPortfolio = z
  .object({ ok: z.literal(true), portfolio: portfolioRecord })
  .meta({ id: 'ChangedPortfolio' })
