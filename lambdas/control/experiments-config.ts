import { type ActiveExperimentServices, createActiveExperiments } from '#core/experiments/active-experiments'
import { unknownTokenError } from '#core/ingest/track-request'
import type { Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { publicChain } from '#lambdas/chain/public-chain'
import { jsonResponse } from '#lambdas/http/response'
import { routes } from '#schemas/routes'

/** How long caches keep the configuration, s (docs/api/experiments.md). */
const CACHE_SECONDS = 60

/** GET /experiments/config for the tracker: the active experiments of the project that the token names. */
export function experimentsConfigEndpoint(
  services: ActiveExperimentServices & { projects: Pick<ProjectDirectory, 'byToken'>; log: Log },
) {
  const { projects } = services
  const readActive = createActiveExperiments(services)
  return publicChain(services)(routes.experimentsConfig)(async ({ query }) => {
    const project = await projects.byToken(query.token)
    if (project === null) throw unknownTokenError()
    const headers = { 'Cache-Control': `public, max-age=${CACHE_SECONDS}` }
    return { ...jsonResponse(200, { experiments: await readActive(project) }, headers), status: 200 }
  })
}
