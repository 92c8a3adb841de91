import { ApiError, unavailable } from '#core/errors'
import type { Clock } from '#core/ports'
import { type ItemRead, readItem } from '#core/state/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'
import { quoted } from '#core/text/clean-text'
import type { PortfolioContext, ProjectContext } from '#schemas/contexts'
import type { Annotations } from './annotations.ts'
import { etagOf, isMatch } from './etag.ts'
import { listedAnnotations } from './listed-annotations.ts'
import { mergeLists } from './merge-lists.ts'
import type { Project, ProjectDirectory } from './project.ts'

export type ContextServices = StateTable & {
  clock: Pick<Clock, 'sleep'>
  projects: Pick<ProjectDirectory, 'resolve'>
  annotations: Pick<Annotations, 'list'>
}

/** A context and the name of the version of its lists, which a PUT may demand. */
export type StoredContext<Context> = { context: Context; etag: string }

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
 * How often a PUT begins again because another has written meanwhile. It goes on only while the others change
 * lists that it leaves alone.
 */
const MAX_TRIES = 20
/**
 * How long a PUT without If-Match waits between its first look at the lists and its write, ms. It does not
 * say which version it replaces, so only those that run at the same time can be told from one that follows.
 * A write itself takes a few ms, and clients that begin together arrive within tens of ms of each other. A
 * context is written by hand or a few times a day, so nobody minds the wait.
 */
const OTHERS_MS = 250

/**
 * What the owner says about the numbers, for a project and for all projects of an account. Each is one item,
 * which holds the lists as JSON and is replaced as a whole. Annotations may also be items of their own
 * (annotations.ts): a context shows them behind those of its list.
 */
export function createContextStore({ client, table, clock, projects, annotations }: ContextServices) {
  const state = { client, table }

  /** The context of a project; all four lists are there. */
  function ofProject({ id }: Pick<Project, 'id'>): Promise<StoredContext<ProjectContext>> {
    return readProjectContext(state, annotations, id)
  }

  /**
   * Reads the context of a project together with another item (readTogether), without the annotations that
   * are items of their own.
   */
  function itemRead(projectId: string): ItemRead<ProjectContext> {
    return {
      Key: keyOf(`context#${projectId}`),
      parse: item => ({ ...NO_PROJECT_CONTEXT, ...(JSON.parse(textOf(item)) as Partial<ProjectContext>) }),
    }
  }

  /**
   * Replaces the lists of a context; absent lists become empty. Annotations that are items of their own stay.
   * Throws INVALID_BODY for a change of one of these, PRECONDITION_FAILED if the lists have another version
   * than `ifMatch` names, and CONTEXT_CHANGED if another request has changed one of the changed lists
   * meanwhile.
   */
  async function setProject(
    { id }: Pick<Project, 'id'>,
    context: ProjectContext,
    ifMatch?: string,
  ): Promise<StoredContext<ProjectContext>> {
    const { goals, activation_events, glossary, channels } = context
    const own = context.annotations.length === 0 ? [] : await annotations.list(id)
    const listed = listedAnnotations(context.annotations.map(withoutNulls), own)
    const wanted = { goals, activation_events, glossary, channels, annotations: listed }
    const { lists, etag } = await write(`context#${id}`, NO_PROJECT_CONTEXT, wanted, ifMatch)
    return { context: withOwn(lists, await annotations.list(id)), etag }
  }

  async function ofPortfolio(accountId: string): Promise<StoredContext<PortfolioContext>> {
    const { lists, etag } = await readLists(state, `context#${accountId}`, NO_PORTFOLIO_CONTEXT)
    return { context: lists, etag }
  }

  /** As setProject. Throws INVALID_BODY for a role of a project that the account has not. */
  async function setPortfolio(
    accountId: string,
    context: PortfolioContext,
    ifMatch?: string,
  ): Promise<StoredContext<PortfolioContext>> {
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
    const wanted = { goals, surface_roles, shared_milestones, glossary: glossary.map(withoutNulls) }
    const { lists, etag } = await write(`context#${accountId}`, NO_PORTFOLIO_CONTEXT, wanted, ifMatch)
    return { context: lists, etag }
  }

  /**
   * Writes the lists over those that were read, never over others: what another request has written since
   * this one began stays, or is reported.
   */
  async function write<Lists extends object>(
    pk: string,
    none: Lists,
    wanted: Lists,
    ifMatch: string | undefined,
  ): Promise<{ lists: Lists; etag: string }> {
    const begun = (await readLists(state, pk, none)).lists
    if (ifMatch === undefined) await clock.sleep(OTHERS_MS)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const current = await readLists(state, pk, none)
      if (!isMatch(ifMatch, current.etag)) throw new ApiError('PRECONDITION_FAILED')
      const lists = mergeLists({ begun, current: current.lists, wanted })
      const text = JSON.stringify(lists)
      const put = client.put({
        TableName: table,
        Item: { ...keyOf(pk), lists: text },
        ConditionExpression: 'attribute_not_exists(#lists) OR #lists = :read',
        ExpressionAttributeNames: { '#lists': 'lists' },
        ExpressionAttributeValues: { ':read': current.text },
      })
      if (await conditionHeld(put)) return { lists, etag: etagOf(lists) }
    }
    throw unavailable('Many requests change this context now. Send the same request again in a second.', 1)
  }

  return { ofProject, itemRead, setProject, ofPortfolio, setPortfolio }
}

export type ContextStore = ReturnType<typeof createContextStore>

/** The context of a project with all its annotations; all four lists are there. */
export async function readProjectContext(
  state: StateTable,
  annotations: Pick<Annotations, 'list'>,
  projectId: string,
): Promise<StoredContext<ProjectContext>> {
  const [{ lists, etag }, own] = await Promise.all([
    readLists(state, `context#${projectId}`, NO_PROJECT_CONTEXT),
    annotations.list(projectId),
  ])
  return { context: withOwn(lists, own), etag }
}

async function readLists<Lists extends object>(state: StateTable, pk: string, none: Lists) {
  const text = textOf(await readItem(state, keyOf(pk)))
  const lists: Lists = { ...none, ...(JSON.parse(text) as Partial<Lists>) }
  return { lists, text, etag: etagOf(lists) }
}

/** Entries that are sentences of the owner. The others are names of events and projects, times and ids. */
const SENTENCES = new Set(['term', 'definition', 'title', 'note', 'role'])

/**
 * Changes the sentences of a stored context, of a project by its id or of all projects by that of the
 * account, also while a PUT runs: what another request has changed meanwhile is read again.
 */
export async function changeContextTexts(
  { client, table }: StateTable,
  id: string,
  change: (text: string) => string,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const Key = keyOf(`context#${id}`)
    const text = textOf(await readItem({ client, table }, Key))
    const lists: unknown = JSON.parse(text)
    const changed = JSON.stringify(lists, (key, value) => {
      if (key === 'goals') return value.map(change)
      return SENTENCES.has(key) && typeof value === 'string' ? change(value) : value
    })
    if (changed === JSON.stringify(lists)) return
    const put = client.put({
      TableName: table,
      Item: { ...Key, lists: changed },
      ConditionExpression: '#lists = :read',
      ExpressionAttributeNames: { '#lists': 'lists' },
      ExpressionAttributeValues: { ':read': text },
    })
    if (await conditionHeld(put)) return
  }
  throw unavailable('Many requests change this context now. Send the same request again in a second.', 1)
}

function keyOf(pk: string): ItemKey {
  return { pk, sk: 'context' }
}

/** The lists as they are stored. */
function textOf(item: Record<string, unknown> | undefined): string {
  return typeof item?.lists === 'string' ? item.lists : '{}'
}

/** The lists with the annotations that are items of their own. */
export function withOwn(lists: ProjectContext, own: ProjectContext['annotations']): ProjectContext {
  return { ...lists, annotations: [...lists.annotations, ...own] }
}

/** A null on an optional field counts as absent (R2). */
function withoutNulls<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) as T
}
