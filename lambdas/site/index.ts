import { readFileSync } from 'node:fs'
import { createSiteServices } from '#aws/services'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { siteHandler } from './handler.ts'

const { services, edgeKey, instrument } = createSiteServices(process.env)
// lib/bundles.ts puts these files into the bundle.
const dashboard = JSON.parse(readFileSync(new URL('dashboard.json', import.meta.url), 'utf8'))
const tracker = JSON.parse(readFileSync(new URL('tracker.json', import.meta.url), 'utf8'))
const viewer = JSON.parse(readFileSync(new URL('viewer.json', import.meta.url), 'utf8'))
const numbers = readFileSync(new URL('numbers.md', import.meta.url), 'utf8')
export const handler = instrument(
  apiGateway(
    siteHandler({
      ...services,
      numbers,
      tracker: async () => tracker,
      dashboard: async () => dashboard,
      viewer: async () => viewer,
    }),
    services.log,
    edgeKey,
  ),
  timeoutResponse(services.log),
)
