import { createMcpServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/api-gateway'
import { controlHandler } from '#lambdas/control/handler'
import { reportsHandler } from '#lambdas/reports/handler'
import { mcpHandler } from './handler.ts'

const { reports, control, services, edgeKey, instrument } = createMcpServices(process.env)
const functions = { reports: reportsHandler(reports), control: controlHandler(control) }
export const handler = instrument(
  apiGateway(mcpHandler({ ...services, functions }), services.log, edgeKey),
  // Athena runs and bills a statement to its end unless somebody stops it.
  timeoutResponse(services.log, reports.engine.waitUntilIdle),
)
