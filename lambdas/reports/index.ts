import { createReportsServices } from '#aws/services'
import type { OpenDuckdb } from '#aws/small-reads'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { reportsHandler } from './handler.ts'

/** Loaded by the first small read: its library is there only if the deployer wants them (reads=auto). */
const openDuckdb: OpenDuckdb = async settings =>
  (await import('#duckdb/reads/query-engine')).openQueryEngine(settings)

const { services, edgeKey, instrument } = createReportsServices(process.env, openDuckdb)
export const handler = instrument(
  apiGateway(reportsHandler(services), services.log, edgeKey),
  // Athena runs and bills a statement to its end unless somebody stops it.
  timeoutResponse(services.log, services.engine.waitUntilIdle),
)
