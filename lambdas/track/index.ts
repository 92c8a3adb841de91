import { createTrackServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '../api-gateway.ts'
import { findCaller } from '../chain/authenticate.ts'
import { trackHandler } from './handler.ts'

const { services, edgeKey, instrument } = createTrackServices(process.env)
const track = trackHandler({ ...services, findCaller: findCaller(services) })
export const handler = instrument(apiGateway(track, services.log, edgeKey), timeoutResponse(services.log))
