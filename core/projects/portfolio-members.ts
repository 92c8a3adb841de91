import { ApiError, unavailable } from '#core/errors'
import { conditionHeld, orUnavailable } from '#core/state/state-table'
import type { createProjectEntity } from './entities.ts'
import type { Project } from './project.ts'

/** Projects that a request wants in a portfolio. */
export type PortfolioMembers = {
  ids: ReadonlySet<string>
  /**
   * Throws PROJECT_IN_PORTFOLIO if a project is in another portfolio and may not be moved. Changes nothing.
   */
  requireMovable(portfolioId: string | null, allowMove: boolean): Promise<void>
  /**
   * Takes the projects into the portfolio. The item of a project says where it is, so one conditional write
   * decides between requests that want it at once. Throws PROJECT_IN_PORTFOLIO when another request was
   * faster; then every project is where it was.
   */
  take(portfolioId: string, allowMove: boolean): Promise<{ giveBack(): Promise<void> }>
}

export type PortfolioMembersServices = {
  projectItems: ReturnType<typeof createProjectEntity>
  /** The ids of the account's portfolios, as they are now. */
  existing(): Promise<ReadonlySet<string>>
}

/** How often a project is read again that other requests move at the same time. */
const MAX_TRIES = 8

/** Where a project was before it was taken; null: in no portfolio. */
type Taken = { id: string; from: string | null }

export function portfolioMembers(
  members: readonly Project[],
  { projectItems, existing }: PortfolioMembersServices,
): PortfolioMembers {
  async function requireMovable(portfolioId: string | null, allowMove: boolean): Promise<void> {
    if (allowMove) return
    // A portfolio that was deleted while a project was added no longer holds the project.
    const portfolios = await existing()
    for (const { name, portfolio_id } of members) {
      if (portfolio_id === null || portfolio_id === portfolioId || !portfolios.has(portfolio_id)) continue
      throw inAnotherPortfolio(name)
    }
  }

  async function take(portfolioId: string, allowMove: boolean) {
    const taken: Taken[] = []
    const giveBack = async () => {
      for (const each of taken) await putBack(each, portfolioId)
    }
    try {
      for (const member of members) {
        const from = await takeOne(member, portfolioId, allowMove)
        if (from !== portfolioId) taken.push({ id: member.id, from })
      }
    } catch (error) {
      await giveBack()
      throw error
    }
    return { giveBack }
  }

  /** Returns where the project was. */
  async function takeOne(
    { id, name, portfolio_id }: Project,
    portfolioId: string,
    allowMove: boolean,
  ): Promise<string | null> {
    let from = portfolio_id
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (from === portfolioId) return from
      if (from !== null && !allowMove && (await existing()).has(from)) throw inAnotherPortfolio(name)
      if (await move(id, from, portfolioId)) return from
      const { data } = await orUnavailable(projectItems.get({ id }).go({ consistent: true }))
      if (data === null) return portfolioId
      from = data.portfolio_id ?? null
    }
    throw unavailable(
      'Several requests move this project at the same time. Send the same request again in a second.',
      1,
    )
  }

  async function putBack({ id, from }: Taken, portfolioId: string): Promise<void> {
    if (from !== null) await move(id, portfolioId, from)
    else {
      const removal = projectItems
        .patch({ id })
        .remove(['portfolio_id'])
        .where((item, { eq }) => eq(item.portfolio_id, portfolioId))
      await conditionHeld(removal.go())
    }
  }

  /** Returns whether the project was still where it was seen. */
  function move(id: string, from: string | null, to: string): Promise<boolean> {
    const change = projectItems
      .patch({ id })
      .set({ portfolio_id: to })
      .where((item, { eq, notExists }) =>
        from === null ? notExists(item.portfolio_id) : eq(item.portfolio_id, from),
      )
    return conditionHeld(change.go())
  }

  return { ids: new Set(members.map(({ id }) => id)), requireMovable, take }
}

function inAnotherPortfolio(name: string): ApiError {
  return new ApiError(
    'PROJECT_IN_PORTFOLIO',
    `Project ${name} is in another portfolio. Send \`allow_move: true\` to move it here.`,
  )
}
