import { reportsServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '../api-gateway.ts'
import { reportsHandler } from './handler.ts'

const { services, instrument } = reportsServices(process.env)
export const handler = instrument(
  apiGateway(reportsHandler(services), services.log),
  // A statement that nobody stops is run to its end, and billed.
  timeoutResponse(services.log, services.engine.waitUntilIdle),
)
