import { createControlServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { controlHandler } from './handler.ts'

const { services, edgeKey, instrument } = createControlServices(process.env)
export const handler = instrument(
  apiGateway(controlHandler(services), services.log, edgeKey),
  timeoutResponse(services.log),
)
