import { readFileSync } from 'node:fs'
import { createReplayServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { replayHandler } from './handler.ts'

const { services, edgeKey, instrument } = createReplayServices(process.env)
// lib/bundles.ts puts this file into the bundle.
const recorder = JSON.parse(readFileSync(new URL('recorder.json', import.meta.url), 'utf8'))
export const handler = instrument(
  apiGateway(replayHandler({ ...services, recorder: async () => recorder }), services.log, edgeKey),
  timeoutResponse(services.log),
)
