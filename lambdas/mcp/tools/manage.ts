import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { ApiError } from '#core/errors'
import { nearestName } from '#core/text/nearest-name'
import type { Answer } from '#lambdas/mcp/answer'
import { RowError } from '#lambdas/mcp/row-caller'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import type { ProjectContext } from '#schemas/contexts'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { project } from './arguments.ts'
import { scopeOfRow } from './scope-of-row.ts'
import { tableOf } from './words.ts'

type Values = Record<string, unknown>
type Action = {
  /** The row that checks the values. */
  row: RouteName
  /** Values beside the fields of the row. */
  extra?: readonly string[]
  run(call: { project: string | undefined; values: Values }, context: ToolContext): Promise<Answer>
}

const names = [
  'create_project',
  'update_project',
  'set_context',
  'add_annotation',
  'create_experiment',
  'update_experiment',
  'create_portfolio',
  'update_portfolio',
  'send_feedback',
] as const

const input = z.object({
  action: z.enum(names).describe('What to do'),
  project: project.optional(),
  values: z.record(z.string(), z.unknown()).describe('Fields of the action'),
})

/** What changes and deletes nothing. */
export const manage = defineTool({
  name: 'manage',
  title: 'Manage',
  description:
    'Creates and changes; deletes nothing. Values: create_project name, allowed_origins, timezone. update_project name, display_name, allowed_origins, link_domains, timezone, retention_days. set_context goals, activation_events, glossary, annotations; lists that are not sent stay. add_annotation occurred_at, title, note. create_experiment name, variants, goal_event, smallest_effect, planned_size. update_experiment experiment, status, winner. create_portfolio slug, name, projects. update_portfolio portfolio, name, projects. send_feedback message.',
  input,
  effect: 'changes',
  scopes: ['projects:write', 'experiments:write', 'feedback:write'],
  scopeOf: ({ action }) => scopeOfRow(actions[action].row),
  run({ action, project, values }, context) {
    refuseUnknown(action, values)
    return actions[action].run({ project, values }, context)
  },
})

const actions: Record<(typeof names)[number], Action> = {
  create_project: {
    row: 'createProject',
    async run({ values }, { call }) {
      const made = await call('createProject', { body: values })
      return {
        ...changed(
          made.existing ? 'The project was there already.' : 'The project was created.',
          'the new project',
        ),
        tables: [tableOf('project', [made], ['name', 'id', 'project_token', 'allowed_origins'])],
        plain: `Put this into the head of each page:\n${made.snippet}`,
        next: 'check(project) after the first page view.',
      }
    },
  },
  update_project: {
    row: 'updateProject',
    async run({ project, values }, { call }) {
      const made = await call('updateProject', { params: { id: required(project) }, body: values })
      return {
        ...changed('The project was changed.', 'one project'),
        tables: [tableOf('project', [made], ['name', 'id', 'allowed_origins', 'timezone'])],
      }
    },
  },
  set_context: {
    row: 'putProjectContext',
    run: ({ project, values }, context) => setContext(required(project), values, context),
  },
  add_annotation: {
    row: 'createAnnotation',
    async run({ project, values }, { call }) {
      const made = await call('createAnnotation', { params: { id: required(project) }, body: values })
      return {
        ...changed('The annotation was saved.', 'one annotation'),
        tables: [tableOf('annotation', [made], ['id', 'occurred_at', 'title', 'note'])],
        next: 'remove(what="annotation", id, project) takes it away.',
      }
    },
  },
  create_experiment: {
    row: 'createExperiment',
    async run({ project, values }, { call }) {
      const made = await call('createExperiment', { body: { ...values, project: required(project) } })
      return {
        ...changed('The experiment was created and is active.', 'one experiment'),
        tables: [tableOf('experiment', [made], ['id', 'name', 'status', 'goal_event'])],
        next: 'query(report="experiments", experiment=<id>) for results.',
      }
    },
  },
  update_experiment: {
    row: 'updateExperiment',
    extra: ['experiment'],
    async run({ values: { experiment, ...body } }, { call }) {
      const id = requireId(experiment, 'experiment', 'query(project, report="experiments") lists the ids')
      const made = await call('updateExperiment', { params: { id }, body })
      return {
        ...changed(`The experiment is ${made.status}.`, 'one experiment'),
        tables: [tableOf('experiment', [made], ['id', 'name', 'status', 'winner'])],
      }
    },
  },
  create_portfolio: {
    row: 'createPortfolio',
    async run({ values }, { call }) {
      const { portfolio } = await call('createPortfolio', { body: values })
      return {
        ...changed('The portfolio was created.', 'one portfolio'),
        tables: [portfolioTable(portfolio)],
      }
    },
  },
  update_portfolio: {
    row: 'updatePortfolio',
    extra: ['portfolio'],
    async run({ values: { portfolio: given, ...body } }, { call }) {
      const idOrSlug = requireId(given, 'portfolio', 'the slug works too')
      const { portfolio } = await call('updatePortfolio', { params: { idOrSlug }, body })
      return {
        ...changed('The portfolio was changed.', 'one portfolio'),
        tables: [portfolioTable(portfolio)],
      }
    },
  },
  send_feedback: {
    row: 'sendFeedback',
    async run({ values }, { call }) {
      await call('sendFeedback', { body: values })
      return changed('The operator has the feedback.', 'one message')
    },
  },
}

/** How often a call begins again because others write the context at the same time. */
const MAX_TRIES = 10

/**
 * Replaces the lists that are named. The others stay as they are now: a context that somebody has changed
 * after it was read is read again. Throws CONTEXT_CHANGED if that change was of one of the named lists.
 */
async function setContext(project: string, values: Values, { call }: ToolContext): Promise<Answer> {
  let begun: ProjectContext | null = null
  for (let tries = 1; ; tries++) {
    const { project_context: current, etag } = await call('readProjectContext', { query: { project } })
    const before: ProjectContext = begun ?? current
    begun = before
    const names = Object.keys(values) as (keyof ProjectContext)[]
    if (names.some(name => !isDeepStrictEqual(current[name], before[name])))
      throw new ApiError('CONTEXT_CHANGED')
    try {
      const body = { ...current, ...values, project }
      const { project_context } = await call('putProjectContext', { body, ifMatch: etag })
      return savedContext(project_context)
    } catch (error) {
      const isBehind = error instanceof RowError && error.code === 'PRECONDITION_FAILED'
      if (!isBehind || tries === MAX_TRIES) throw error
    }
  }
}

function savedContext(context: ProjectContext): Answer {
  const rows = Object.entries(context).map(([list, entries]) => ({ list, entries: entries.length }))
  return {
    ...changed('The context was saved.', 'what the owner says about one project'),
    tables: [tableOf('context', rows, ['list', 'entries'])],
  }
}

function changed(summary: string, counted: string) {
  return { summary, counted, next: 'overview for the state now.' }
}

function portfolioTable({
  id,
  slug,
  name,
  members,
}: {
  id: string
  slug: string
  name: string
  members: { project: string }[]
}) {
  return tableOf(
    'portfolio',
    [{ id, slug, name, projects: members.map(({ project }) => project).join(' ') }],
    ['id', 'slug', 'name', 'projects'],
  )
}

function required(project: string | undefined): string {
  if (project === undefined) throw new ApiError('PROJECT_REQUIRED')
  return project
}

/** Returns the id of what changes. Throws MISSING_FIELDS without one. `more`: what else helps to find it. */
function requireId(value: unknown, name: string, more: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ApiError(
    'MISSING_FIELDS',
    `The values do not say what changes. Send its id as \`${name}\`: ${more}.`,
  )
}

/** Rows ignore fields that they do not know. Here a typing error would look like a change. */
function refuseUnknown(action: keyof typeof actions, values: Values): void {
  const { row, extra = [] } = actions[action]
  const { body } = routes[row] as Route
  const known = [...extra, ...Object.keys((body as unknown as { shape: object }).shape)].filter(
    name => name !== 'project',
  )
  const unknown = Object.keys(values).find(name => !known.includes(name))
  if (unknown === undefined) return
  const near = nearestName(unknown, known)
  throw new ApiError(
    'INVALID_ARGUMENTS',
    `The values of \`${action}\` have no field "${unknown}". ${near === null ? `Use ${known.join(', ')}.` : `Did you mean \`${near}\`?`}`,
  )
}
