import { readFile } from 'node:fs/promises'
import { createMcpServices } from '#aws/services'
import type { OpenDuckdb } from '#aws/small-reads'
import { controlHandler } from '#lambdas/control/handler'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import { reportsHandler } from '#lambdas/reports/handler'
import { mcpHandler } from './handler.ts'

/** Loaded by the first small read: its library is there only if the deployer wants them (reads=auto). */
const openDuckdb: OpenDuckdb = async settings =>
  (await import('#duckdb/reads/query-engine')).openQueryEngine(settings)

const { reports, control, services, edgeKey, instrument } = createMcpServices(process.env, openDuckdb)
/** Read when a host asks for it: most clients never do. */
const chatView = () => readFile(new URL('chat-view.html', import.meta.url), 'utf8')
const functions = { reports: reportsHandler(reports), control: controlHandler(control) }
export const handler = instrument(
  apiGateway(mcpHandler({ ...services, functions, chatView }), services.log, edgeKey),
  // Athena runs and bills a statement to its end unless somebody stops it.
  timeoutResponse(services.log, reports.engine.waitUntilIdle),
)
