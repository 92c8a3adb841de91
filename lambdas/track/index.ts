import { createTrackServices } from '#aws/services'
import { findCaller } from '#lambdas/chain/authenticate'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { trackHandler } from './handler.ts'

const { services, edgeKey, instrument } = createTrackServices(process.env)
const track = trackHandler({ ...services, findCaller: findCaller(services) })
// With the option ingestion=function-url, CloudFront calls its URL instead of the API.
const serve = apiGateway(track, services.log, edgeKey, 'track')
export const handler = instrument(serve, timeoutResponse(services.log))
