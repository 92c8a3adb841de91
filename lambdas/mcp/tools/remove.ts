import * as z from 'zod'
import { ApiError } from '#core/errors'
import { visitorText } from '#core/text/visitor-text'
import type { Answer, AnswerTable } from '#lambdas/mcp/answer'
import { TokenNeeded } from '#lambdas/mcp/confirm'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import type { RouteName } from '#schemas/routes'
import { project } from './arguments.ts'
import { scopeOfRow } from './scope-of-row.ts'
import { count, tableOf } from './words.ts'

const input = z.object({
  what: z.enum(['project', 'person', 'experiment', 'portfolio', 'annotation']).describe('Kind of thing'),
  id: z.string().describe('Id, name or slug; of a person any user id'),
  project: project.optional().describe('Of a person or annotation'),
  confirm: z.string().optional().describe('Token of the dry run'),
})
type Args = z.output<typeof input>

/** What will be gone, found by a dry run. */
type Preview = { what: string; tables: AnswerTable[]; remove(): Promise<{ done: string; next: string }> }

/** The only tool that deletes. It asks a human, or wants the token of its dry run. */
export const remove = defineTool({
  name: 'remove',
  title: 'Remove',
  description:
    'Deletes a project with all of its events, a person with all of theirs, an experiment, a portfolio or an annotation. Cannot be undone. Asks the human; without that, the first call is a dry run and returns a token for confirm.',
  input,
  effect: 'deletes',
  scopes: ['projects:write', 'experiments:write'],
  scopeOf: ({ what }) => scopeOfRow(ROWS[what]),
  async run(args, context): Promise<Answer> {
    const { what, id, project = '' } = args
    const preview = await previews[what](args, context)
    try {
      const question = `Remove ${preview.what}? This cannot be undone.`
      await context.confirm({ what, id, project }, { question, token: args.confirm })
    } catch (error) {
      if (error instanceof TokenNeeded) return dryRun(preview, what, error.token, args.confirm !== undefined)
      throw error
    }
    const { done, next } = await preview.remove()
    return { summary: done, counted: `one ${what}`, next }
  },
})

/** The row that removes each kind of thing. */
const ROWS = {
  project: 'deleteProject',
  person: 'erasePerson',
  experiment: 'deleteExperiment',
  portfolio: 'deletePortfolio',
  annotation: 'deleteAnnotation',
} as const satisfies Record<Args['what'], RouteName>

/** Nothing is removed yet. */
function dryRun({ tables }: Preview, what: string, token: string, wasRefused: boolean): Answer {
  return {
    summary: `${wasRefused ? 'The token is not good for this: it is of another removal, or older than ten minutes. ' : ''}Dry run: nothing was removed. Ask the human, then call remove again with the same arguments and this confirm.`,
    counted: `what one ${what} has`,
    totals: { confirm: token },
    tables,
    next: 'remove(…, confirm=<token>) after the human said yes.',
  }
}

const previews: Record<Args['what'], (args: Args, context: ToolContext) => Promise<Preview>> = {
  async project({ id }, { call }) {
    const record = await call('readProject', { params: { id } })
    return {
      what: `the project ${record.name} with ${count(record.total_events, 'event')}`,
      tables: [tableOf('project', [record], ['name', 'id', 'total_events', 'last_event_at'])],
      async remove() {
        await call('deleteProject', { params: { id: record.id } })
        return {
          done: 'The project was deleted. Its token stopped at once.',
          next: 'overview() for the other projects.',
        }
      },
    }
  },
  async person({ id, project }, { call }) {
    if (project === undefined) throw new ApiError('PROJECT_REQUIRED')
    const query = { project, user_id: id }
    const found = (await call('erasePerson', {
      params: { id: '-' },
      query: { ...query, dry_run: true },
    })) as unknown as {
      count: number
      events: number
      ids: string[]
    }
    return {
      what: `the person ${visitorText(id, 100)} with ${count(found.count, 'id')} and ${count(found.events, 'event')}`,
      tables: [
        {
          name: 'ids of the person',
          columns: ['user_id'],
          rows: found.ids.map(each => [each]),
          total: found.count,
        },
      ],
      async remove() {
        const started = (await call('erasePerson', {
          params: { id: '-' },
          query: { ...query, confirm: found.count },
        })) as unknown as { erasure_id: string }
        return {
          done: `The events of the person are hidden at once, and are being erased: ${count(found.events, 'event')}, ${started.erasure_id}.`,
          next: `GET /erasures/${started.erasure_id} has the receipt.`,
        }
      },
    }
  },
  async experiment({ id }, { call }) {
    const { name, status } = await call('readExperiment', { params: { id } })
    return {
      what: `the experiment ${name}, which is ${status}`,
      tables: [tableOf('experiment', [{ id, name, status }], ['id', 'name', 'status'])],
      async remove() {
        await call('deleteExperiment', { params: { id } })
        return { done: 'The experiment was deleted. Its events stay.', next: 'query(report="experiments").' }
      },
    }
  },
  async annotation({ id, project }, { call }) {
    if (project === undefined) throw new ApiError('PROJECT_REQUIRED')
    const { project_context } = await call('readProjectContext', { query: { project } })
    const found = project_context.annotations.find(each => each.id === id)
    if (found === undefined) {
      throw new ApiError(
        'NOT_FOUND',
        'The project has no annotation with this id. Look at the resource footfall://projects/{project}/context.',
      )
    }
    return {
      what: `the annotation ${visitorText(found.title, 100)}`,
      tables: [tableOf('annotation', [found], ['id', 'occurred_at', 'title', 'note'])],
      async remove() {
        await call('deleteAnnotation', { params: { id: project, annotation: id } })
        return { done: 'The annotation was deleted.', next: 'overview(project).' }
      },
    }
  },
  async portfolio({ id }, { call }) {
    const { portfolio } = await call('readPortfolio', { params: { idOrSlug: id } })
    return {
      what: `the portfolio ${portfolio.slug}`,
      tables: [tableOf('portfolio', [portfolio], ['id', 'slug', 'name'])],
      async remove() {
        await call('deletePortfolio', { params: { idOrSlug: portfolio.id } })
        return { done: 'The portfolio was deleted. Its projects stay.', next: 'overview() for the projects.' }
      },
    }
  },
}
