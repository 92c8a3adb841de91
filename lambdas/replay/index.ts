import { createReplayServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/api-gateway'
import { replayHandler } from './handler.ts'

const { services, edgeKey, instrument } = createReplayServices(process.env)
export const handler = instrument(
  apiGateway(replayHandler(services), services.log, edgeKey),
  timeoutResponse(services.log),
)
