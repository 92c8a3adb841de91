import { createAuthServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { authHandler } from './handler.ts'

const { services, edgeKey, instrument } = createAuthServices(process.env)
export const handler = instrument(
  apiGateway(authHandler(services), services.log, edgeKey),
  timeoutResponse(services.log),
)
