import type { ShareLinks } from '#core/access/share-links'
import { ApiError } from '#core/errors'
import type { Limits } from '#core/limits/limit-state'
import type { Now } from '#core/ports'
import type { SavedViews } from '#core/projects/saved-views'
import type { accountChain } from '#lambdas/chain/account-chain'
import { routes } from '#schemas/routes'
import { MAX_SAVED_VIEWS } from '#schemas/saved-views'
import { MAX_SHARE_LINKS } from '#schemas/share-links'

export type DashboardServices = {
  savedViews: SavedViews
  shareLinks: Pick<ShareLinks, 'list' | 'create' | 'remove'>
  limits: Pick<Limits, 'guestUse'>
  clock: Now
  baseUrl: string
}

/** What the dashboard keeps with a project: saved views and share links (docs/api/dashboard.md). */
export function dashboardEndpoints(
  { savedViews, shareLinks, limits, clock, baseUrl }: DashboardServices,
  chain: ReturnType<typeof accountChain>,
) {
  return {
    listSavedViews: chain(routes.listSavedViews)(async ({ project }) => ({
      status: 200,
      body: { views: await savedViews.list(project.id) },
    })),

    createSavedView: chain(routes.createSavedView)(async ({ project, body }) => {
      const view = await savedViews.create(project.id, body)
      if (view === null) throw tooMany(`${MAX_SAVED_VIEWS} saved views`)
      return { status: 201, body: view }
    }),

    deleteSavedView: chain(routes.deleteSavedView)(async ({ project, request }) => {
      if (await savedViews.remove(project.id, request.params.view ?? '')) return DONE
      throw notFound('saved view', 'views')
    }),

    listShareLinks: chain(routes.listShareLinks)(async ({ project }) => {
      const [share_links, use] = await Promise.all([shareLinks.list(project.id), limits.guestUse(project.id)])
      const statements_today = use?.statements ?? null
      return { status: 200, body: { share_links, statements_today, statements_per_day: use?.limit ?? null } }
    }),

    createShareLink: chain(routes.createShareLink)(async ({ project, body, request }) => {
      if (body.expires_at !== undefined && body.expires_at <= clock.now()) {
        throw new ApiError('MISSING_FIELDS', 'Field `expires_at` takes a time in the future, in Unix ms.')
      }
      const created = await shareLinks.create(project.id, body)
      if (created === null) throw tooMany(`${MAX_SHARE_LINKS} share links`)
      const url = `${request.address ?? baseUrl}/share/${created.token}`
      return { status: 201, body: { ...created.link, url } }
    }),

    deleteShareLink: chain(routes.deleteShareLink)(async ({ project, request }) => {
      if (await shareLinks.remove(project.id, request.params.link ?? '')) return DONE
      throw notFound('share link', 'share-links')
    }),
  }
}

const DONE = { status: 200, body: { ok: true } } as const

function tooMany(bound: string): ApiError {
  return new ApiError('MISSING_FIELDS', `The project has ${bound} and cannot have more. Remove one first.`)
}

function notFound(what: string, list: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `The project has no ${what} with this id. GET /projects/{id}/${list} lists them.`,
  )
}
