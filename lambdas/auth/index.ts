import { createAuthServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '../api-gateway.ts'
import { authHandler } from './handler.ts'

const { services, instrument } = createAuthServices(process.env)
export const handler = instrument(
  apiGateway(authHandler(services), services.log),
  timeoutResponse(services.log),
)
