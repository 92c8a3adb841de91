import { createControlServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '../api-gateway.ts'
import { controlHandler } from './handler.ts'

const { services, instrument } = createControlServices(process.env)
export const handler = instrument(
  apiGateway(controlHandler(services), services.log),
  timeoutResponse(services.log),
)
