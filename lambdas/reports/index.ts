import { createReportsServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { reportsHandler } from './handler.ts'

const { services, edgeKey, instrument } = createReportsServices(process.env)
export const handler = instrument(
  apiGateway(reportsHandler(services), services.log, edgeKey),
  // Athena runs and bills a statement to its end unless somebody stops it.
  timeoutResponse(services.log, services.engine.waitUntilIdle),
)
