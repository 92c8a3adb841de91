import { createTrackServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/api-gateway'
import { findCaller } from '#lambdas/chain/authenticate'
import { trackHandler } from './handler.ts'

const { services, edgeKey, instrument } = createTrackServices(process.env)
const track = trackHandler({ ...services, findCaller: findCaller(services) })
export const handler = instrument(apiGateway(track, services.log, edgeKey), timeoutResponse(services.log))
