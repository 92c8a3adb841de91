import { unknownTokenError } from '#core/ingest/track-request'
import type { Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { routes } from '#schemas/routes'
import { publicChain } from '../chain/public-chain.ts'
import { jsonResponse } from '../response.ts'

/** How long caches keep the configuration, s (contract 1.1). */
const CACHE_SECONDS = 60

/**
 * GET /experiments/config for the tracker: the active experiments of the project that the token names. No route creates
 * experiments yet, so the list is empty. The tracker then leaves pages as they are.
 */
export function experimentsConfigEndpoint(services: {
  projects: Pick<ProjectDirectory, 'byToken'>
  log: Log
}) {
  return publicChain(services)(routes.experimentsConfig)(async ({ query }) => {
    if ((await services.projects.byToken(query.token)) === null) throw unknownTokenError()
    const headers = { 'Cache-Control': `public, max-age=${CACHE_SECONDS}` }
    return { ...jsonResponse(200, { experiments: [] }, headers), status: 200 }
  })
}
