import { randomBytes } from 'node:crypto'
import { Entity, type EntityItem } from 'electrodb'
import { ApiError } from '#core/errors'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import { quoted } from '#core/text/clean-text'
import type { PortfolioRecord } from '#schemas/portfolios'
import { createProjectEntity } from './entities.ts'
import type { Project, ProjectDirectory } from './project.ts'

export type PortfolioServices = StateTable & {
  projects: Pick<ProjectDirectory, 'resolve' | 'list'>
  clock: Clock
}

export type MemberChanges = { projects: readonly string[]; allow_move: boolean }
export type NewPortfolio = MemberChanges & { slug: string; name: string }
export type PortfolioChanges = { name?: string | undefined } & Partial<MemberChanges>

type PortfolioItem = EntityItem<ReturnType<typeof createPortfolioEntity>>

/**
 * Identity portfolios (contract 1.5). The item of a project says in which portfolio the project is, so it is in one at most, and a
 * deleted project drops out by itself (U22).
 */
export function createPortfolioStore({ projects, clock, ...state }: PortfolioServices) {
  const portfolios = createPortfolioEntity(state)
  const projectItems = createProjectEntity(state)

  /** The account's portfolios, oldest first. */
  async function list(accountId: string): Promise<PortfolioRecord[]> {
    const [items, owned] = await Promise.all([readAll(accountId), projects.list(accountId)])
    return items.map(item => toRecord(item, owned))
  }

  /** Finds a portfolio by its id or slug; the id wins. Throws NOT_FOUND. */
  async function read(accountId: string, idOrSlug: string): Promise<PortfolioRecord> {
    const [item, owned] = await Promise.all([find(accountId, idOrSlug), projects.list(accountId)])
    return toRecord(item, owned)
  }

  /** Throws SLUG_EXISTS, PROJECT_IN_PORTFOLIO, or NOT_FOUND for an unknown project. Then nothing is created. */
  async function create(accountId: string, request: NewPortfolio): Promise<PortfolioRecord> {
    const members = await findMembers(accountId, request.projects)
    await requireMovable(accountId, null, members, request.allow_move)
    const at = now()
    const item = {
      account_id: accountId,
      slug: request.slug,
      id: `pf_${randomBytes(8).toString('hex')}`,
      name: request.name,
      created_at: at,
      updated_at: at,
    }
    if (!(await conditionHeld(portfolios.create(item).go()))) throw new ApiError('SLUG_EXISTS')
    await setMembers(accountId, item.id, members)
    return read(accountId, item.id)
  }

  /** Changes the name, or replaces the projects. Throws like `create`. */
  async function update(
    accountId: string,
    idOrSlug: string,
    { name, projects: names, allow_move = false }: PortfolioChanges,
  ): Promise<PortfolioRecord> {
    const item = await find(accountId, idOrSlug)
    const members = names === undefined ? null : await findMembers(accountId, names)
    if (members !== null) await requireMovable(accountId, item.id, members, allow_move)
    const change = portfolios
      .patch({ account_id: accountId, slug: item.slug })
      .set({ updated_at: now(), ...(name !== undefined && { name }) })
      .where((stored, { eq }) => eq(stored.id, item.id))
    if (!(await conditionHeld(change.go()))) throw notFound(idOrSlug)
    if (members !== null) await setMembers(accountId, item.id, members)
    return read(accountId, item.id)
  }

  /** Deletes a portfolio; its projects stay. Returns its id. Throws NOT_FOUND. */
  async function remove(accountId: string, idOrSlug: string): Promise<string> {
    const item = await find(accountId, idOrSlug)
    await setMembers(accountId, item.id, [])
    await orUnavailable(portfolios.delete({ account_id: accountId, slug: item.slug }).go())
    return item.id
  }

  async function readAll(accountId: string): Promise<PortfolioItem[]> {
    const { data } = await orUnavailable(
      portfolios.query.main({ account_id: accountId }).go({ consistent: true, pages: 'all' }),
    )
    return data.toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
  }

  async function find(accountId: string, idOrSlug: string): Promise<PortfolioItem> {
    const items = await readAll(accountId)
    const item = items.find(({ id }) => id === idOrSlug) ?? items.find(({ slug }) => slug === idOrSlug)
    if (item === undefined) throw notFound(idOrSlug)
    return item
  }

  async function findMembers(accountId: string, names: readonly string[]): Promise<Project[]> {
    const members = new Map<string, Project>()
    for (const name of names) {
      const project = await projects.resolve(accountId, name)
      if (project === null) {
        throw new ApiError(
          'NOT_FOUND',
          `The account has no project with the name or id ${quoted(name)}. GET /projects lists its projects.`,
        )
      }
      members.set(project.id, project)
    }
    return [...members.values()]
  }

  /** Throws PROJECT_IN_PORTFOLIO if a project is in another portfolio and may not be moved. */
  async function requireMovable(
    accountId: string,
    portfolioId: string | null,
    members: readonly Project[],
    allowMove: boolean,
  ): Promise<void> {
    if (allowMove) return
    // A portfolio that was deleted while a project was added no longer holds the project.
    const existing = new Set((await readAll(accountId)).map(({ id }) => id))
    for (const { name, portfolio_id } of members) {
      if (portfolio_id === null || portfolio_id === portfolioId || !existing.has(portfolio_id)) continue
      throw new ApiError(
        'PROJECT_IN_PORTFOLIO',
        `Project ${name} is in another portfolio. Send \`allow_move: true\` to move it here.`,
      )
    }
  }

  /** Takes the projects into the portfolio, and all others out of it. */
  async function setMembers(
    accountId: string,
    portfolioId: string,
    members: readonly Pick<Project, 'id'>[],
  ): Promise<void> {
    for (const { id } of members) {
      await conditionHeld(projectItems.patch({ id }).set({ portfolio_id: portfolioId }).go())
    }
    const ids = new Set(members.map(({ id }) => id))
    for (const { id, portfolio_id } of await projects.list(accountId)) {
      if (portfolio_id !== portfolioId || ids.has(id)) continue
      const removal = projectItems
        .patch({ id })
        .remove(['portfolio_id'])
        .where((item, { eq }) => eq(item.portfolio_id, portfolioId))
      await conditionHeld(removal.go())
    }
  }

  function now(): string {
    return new Date(clock.now()).toISOString()
  }

  return { list, read, create, update, remove }
}

export type PortfolioStore = ReturnType<typeof createPortfolioStore>

/** The slug is in the key, so it is unique in its account. */
function createPortfolioEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'portfolio', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        slug: { type: 'string', required: true },
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['slug'] }),
    },
    { client, table },
  )
}

function toRecord(item: PortfolioItem, owned: readonly Project[]): PortfolioRecord {
  const { id, slug, name, created_at, updated_at } = item
  const members = owned
    .filter(({ portfolio_id }) => portfolio_id === id)
    .map(project => ({ project_id: project.id, project: project.name }))
  return { id, slug, name, members, created_at, updated_at }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function notFound(idOrSlug: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `The account has no portfolio with the id or slug ${quoted(idOrSlug)}. GET /portfolios lists its portfolios.`,
  )
}
