import { ApiError } from '#core/errors'
import type { ItemRead } from '#core/read-items'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state-table'
import { quoted } from '#core/text/clean-text'
import type { PortfolioContext, ProjectContext } from '#schemas/contexts'
import type { Project, ProjectDirectory } from './project.ts'

export type ContextServices = StateTable & { projects: Pick<ProjectDirectory, 'resolve'> }

/** The context of a project whose owner has said nothing. */
export const NO_PROJECT_CONTEXT: ProjectContext = {
  goals: [],
  activation_events: [],
  glossary: [],
  annotations: [],
}
const NO_PORTFOLIO_CONTEXT: PortfolioContext = {
  goals: [],
  surface_roles: [],
  shared_milestones: [],
  glossary: [],
}

/**
 * What the owner says about the numbers, for a project and for all projects of an account. Each is one item,
 * which holds the lists as JSON and is replaced as a whole.
 */
export function createContextStore({ client, table, projects }: ContextServices) {
  /** The context of a project; all four lists are there. */
  async function ofProject({ id }: Pick<Project, 'id'>): Promise<ProjectContext> {
    return { ...NO_PROJECT_CONTEXT, ...(await read(`context#${id}`)) }
  }

  /** Reads the context of a project together with another item (readTogether). */
  function itemRead(projectId: string): ItemRead<ProjectContext> {
    return {
      Key: keyOf(`context#${projectId}`),
      parse: item => ({ ...NO_PROJECT_CONTEXT, ...listsOf(item) }),
    }
  }

  /** Replaces the context; absent lists become empty. */
  async function setProject({ id }: Pick<Project, 'id'>, context: ProjectContext): Promise<ProjectContext> {
    const { goals, activation_events, glossary, annotations } = context
    const stored = { goals, activation_events, glossary, annotations: annotations.map(withoutNulls) }
    await write(`context#${id}`, stored)
    return stored
  }

  async function ofPortfolio(accountId: string): Promise<PortfolioContext> {
    return { ...NO_PORTFOLIO_CONTEXT, ...(await read(`context#${accountId}`)) }
  }

  /** As setProject. Throws INVALID_BODY for a role of a project that the account has not. */
  async function setPortfolio(accountId: string, context: PortfolioContext): Promise<PortfolioContext> {
    const { goals, shared_milestones, glossary } = context
    const surface_roles = []
    for (const { project, project_id, role } of context.surface_roles) {
      const named = project ?? project_id
      const found = typeof named === 'string' ? await projects.resolve(accountId, named) : null
      if (found === null) {
        throw new ApiError(
          'INVALID_BODY',
          `Field \`surface_roles\` names a project that the account has not: ${quoted(named)}. GET /projects lists its projects.`,
        )
      }
      surface_roles.push({ project: found.name, project_id: found.id, role })
    }
    const stored = { goals, surface_roles, shared_milestones, glossary: glossary.map(withoutNulls) }
    await write(`context#${accountId}`, stored)
    return stored
  }

  async function read(pk: string): Promise<Record<string, unknown>> {
    const get = client.get({ TableName: table, Key: keyOf(pk), ConsistentRead: true })
    return listsOf((await orUnavailable(get)).Item)
  }

  async function write(pk: string, lists: object): Promise<void> {
    const Item = { ...keyOf(pk), lists: JSON.stringify(lists) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  return { ofProject, itemRead, setProject, ofPortfolio, setPortfolio }
}

export type ContextStore = ReturnType<typeof createContextStore>

function keyOf(pk: string): ItemKey {
  return { pk, sk: 'context' }
}

function listsOf(item: Record<string, unknown> | undefined): Record<string, unknown> {
  return typeof item?.lists === 'string' ? JSON.parse(item.lists) : {}
}

/** A null on an optional field counts as absent (R2). */
function withoutNulls<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) as T
}
