import { readFileSync } from 'node:fs'
import { createPagesServices } from '#aws/pages-services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { pagesHandler } from './handler.ts'

const { services, edgeKey, instrument } = createPagesServices(process.env)
// lib/bundles.ts puts this file into the bundle.
const entry = JSON.parse(readFileSync(new URL('dashboard.json', import.meta.url), 'utf8'))
export const handler = instrument(
  apiGateway(pagesHandler({ ...services, dashboard: async () => entry }), services.log, edgeKey),
  timeoutResponse(services.log),
)
