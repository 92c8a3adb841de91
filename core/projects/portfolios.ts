import { randomBytes } from 'node:crypto'
import type { EntityItem } from 'electrodb'
import { ApiError, unavailable } from '#core/errors'
import type { Now } from '#core/ports'
import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { quoted } from '#core/text/clean-text'
import { compareText } from '#core/text/compare-text'
import type { PortfolioRecord } from '#schemas/portfolios'
import { createProjectEntity } from './entities.ts'
import { type PortfolioMembers, portfolioMembers } from './portfolio-members.ts'
import type { Project, ProjectDirectory } from './project.ts'

/**
 * How long a request may replace the members of a portfolio. Longer than any request runs, and short after a
 * crash.
 */
const LEASE_MS = 60_000

export type PortfolioServices = StateTable & {
  projects: Pick<ProjectDirectory, 'resolve' | 'list'>
  clock: Now
}

export type MemberChanges = { projects: readonly string[]; allow_move: boolean }
export type NewPortfolio = MemberChanges & { slug: string; name: string }
export type PortfolioChanges = { name?: string | undefined } & Partial<MemberChanges>

type PortfolioItem = EntityItem<ReturnType<typeof createPortfolioEntity>>

/**
 * Identity portfolios (docs/api/portfolios.md). The item of a project says in which portfolio the project is,
 * so it is in one at most, and a deleted project drops out by itself (U22).
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

  /**
   * Throws SLUG_EXISTS, PROJECT_IN_PORTFOLIO, or NOT_FOUND for an unknown project. Then nothing is created.
   */
  async function create(accountId: string, request: NewPortfolio): Promise<PortfolioRecord> {
    // First, because a caller who repeats a creation must not read that its projects are in a portfolio.
    if ((await readAll(accountId)).some(({ slug }) => slug === request.slug))
      throw new ApiError('SLUG_EXISTS')
    const members = await findMembers(accountId, request.projects)
    await members.requireMovable(null, request.allow_move)
    const at = now()
    const item = {
      account_id: accountId,
      slug: request.slug,
      id: `pf_${randomBytes(8).toString('hex')}`,
      name: request.name,
      created_at: at,
      updated_at: at,
    }
    // Before any project names it: a portfolio that projects name and that is missing counts as deleted.
    if (!(await conditionHeld(portfolios.create(item).go()))) throw new ApiError('SLUG_EXISTS')
    try {
      await members.take(item.id, request.allow_move)
    } catch (error) {
      await orUnavailable(portfolios.delete({ account_id: accountId, slug: item.slug }).go())
      throw error
    }
    return read(accountId, item.id)
  }

  /** Changes the name, or replaces the projects. Throws like `create`; then nothing is changed. */
  async function update(
    accountId: string,
    idOrSlug: string,
    { name, projects: names, allow_move = false }: PortfolioChanges,
  ): Promise<PortfolioRecord> {
    const item = await find(accountId, idOrSlug)
    const members = names === undefined ? null : await findMembers(accountId, names)
    await members?.requireMovable(item.id, allow_move)
    const lease = members === null ? null : await leaseMembers(item)
    try {
      const taken = await members?.take(item.id, allow_move)
      const change = portfolios
        .patch({ account_id: accountId, slug: item.slug })
        .set({ updated_at: now(), ...(name !== undefined && { name }) })
        .where((stored, { eq }) => eq(stored.id, item.id))
      if (!(await conditionHeld(change.go()))) {
        await taken?.giveBack()
        throw notFound(idOrSlug)
      }
      if (members !== null) await removeOthers(accountId, item.id, members.ids)
    } finally {
      await lease?.end()
    }
    return read(accountId, item.id)
  }

  /**
   * Two requests that replaced the members of one portfolio at the same time would each remove the other's
   * projects. So one of them holds a lease. Throws UNAVAILABLE while another request has it, and NOT_FOUND
   * for a portfolio that was deleted.
   */
  async function leaseMembers({ account_id, slug, id }: PortfolioItem) {
    const key = { account_id, slug }
    const lease = randomBytes(8).toString('hex')
    const start = portfolios
      .patch(key)
      .set({ lease, leased_until: clock.now() + LEASE_MS })
      .where(
        (stored, { eq, notExists, lt }) =>
          `${eq(stored.id, id)} AND (${notExists(stored.lease)} OR ${lt(stored.leased_until, clock.now())})`,
      )
    if (!(await conditionHeld(start.go()))) {
      await find(account_id, id)
      throw unavailable(
        'Another request changes the projects of this portfolio. Send the same request again in a second.',
        1,
      )
    }
    const ending = portfolios
      .patch(key)
      .remove(['lease', 'leased_until'])
      .where((stored, { eq }) => eq(stored.lease, lease))
    return { end: () => conditionHeld(ending.go()) }
  }

  /** Deletes a portfolio; its projects stay. Returns its id. Throws NOT_FOUND. */
  async function remove(accountId: string, idOrSlug: string): Promise<string> {
    const item = await find(accountId, idOrSlug)
    await removeOthers(accountId, item.id, new Set())
    await orUnavailable(portfolios.delete({ account_id: accountId, slug: item.slug }).go())
    return item.id
  }

  async function readAll(accountId: string): Promise<PortfolioItem[]> {
    const { data } = await orUnavailable(
      portfolios.query.main({ account_id: accountId }).go({ consistent: true, pages: 'all' }),
    )
    return data.toSorted((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id))
  }

  async function find(accountId: string, idOrSlug: string): Promise<PortfolioItem> {
    const items = await readAll(accountId)
    const item = items.find(({ id }) => id === idOrSlug) ?? items.find(({ slug }) => slug === idOrSlug)
    if (item === undefined) throw notFound(idOrSlug)
    return item
  }

  /** Throws NOT_FOUND for a project that the account has not. */
  async function findMembers(accountId: string, names: readonly string[]): Promise<PortfolioMembers> {
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
    return portfolioMembers([...members.values()], {
      projectItems,
      existing: async () => new Set((await readAll(accountId)).map(({ id }) => id)),
    })
  }

  /** Takes all projects out of the portfolio but these. */
  async function removeOthers(
    accountId: string,
    portfolioId: string,
    ids: ReadonlySet<string>,
  ): Promise<void> {
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
        /** The request that replaces the members now, and until when (Unix ms) no other may. */
        lease: { type: 'string' },
        leased_until: { type: 'number' },
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

function notFound(idOrSlug: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `The account has no portfolio with the id or slug ${quoted(idOrSlug)}. GET /portfolios lists its portfolios.`,
  )
}
