import { createPagesServices } from '#aws/pages-services'
import { apiGateway, timeoutResponse } from '#lambdas/api-gateway'
import { pagesHandler } from './handler.ts'

const { services, edgeKey, instrument } = createPagesServices(process.env)
export const handler = instrument(
  apiGateway(pagesHandler(services), services.log, edgeKey),
  timeoutResponse(services.log),
)
