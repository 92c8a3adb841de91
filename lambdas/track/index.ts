import { createTrackServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '../api-gateway.ts'
import { findCaller } from '../chain/authenticate.ts'
import { trackHandler } from './handler.ts'

const { services, instrument } = createTrackServices(process.env)
const track = trackHandler({ ...services, findCaller: findCaller(services) })
export const handler = instrument(apiGateway(track, services.log), timeoutResponse(services.log))
