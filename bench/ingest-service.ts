import { mkdirSync } from 'node:fs'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createEmailHasher } from '#core/ingest/email-hash'
import { createArrivalOrder } from '#core/ingest/ids'
import { noLimits } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import type { HttpFunction } from '#lambdas/http/http'
import { trackHandler } from '#lambdas/track/handler'
import { openCountryTable } from '#local/http/country-table'
import { startHttp } from '#local/http/server'
import { openStream } from '#local/stream/stream'
import { systemClock } from '#providers/system-clock'

/**
 * Ingestion alone: the HTTP front, the track function and the log of the service, without the pipeline that
 * reads the log. It shows the cost of a request without the work of the lake. `bench/ingest.ts --alone`
 * starts it. Arguments: port, data folder, project token.
 */
const [port, dir, token] = process.argv.slice(2) as [string, string, string]
mkdirSync(dir, { recursive: true })
const log = (code: string, fields?: Record<string, unknown>) => console.error(code, fields)
const project: Project = {
  id: 'proj_bench',
  account_id: 'acc_bench',
  name: 'bench',
  project_token: token,
  allowed_origins: '*',
  link_domains: [],
  source_scan_id: null,
  timezone: null,
  display_name: null,
  retention_days: null,
  bucket: 5,
  has_event_ids: false,
  has_links: false,
  has_linked_anonymous_ids: false,
  portfolio_id: null,
  created_at: new Date(0).toISOString(),
  deleted_at: null,
}
const stream = await openStream(dir, { log })
const track = trackHandler({
  stream,
  botCounts: createBotCounts({ stream, clock: systemClock, hasTimer: true }),
  projects: { byToken: async sent => (sent === token ? project : null) },
  country: openCountryTable(),
  countryHeader: null,
  bots: createBotClassifier(),
  refusals: { count: async () => {} },
  findCaller: () => undefined,
  limits: noLimits,
  emails: createEmailHasher(async () => 'key'),
  clock: { now: Date.now },
  ids: createArrivalOrder(),
  log,
})
const notFound: HttpFunction = async () => ({ status: 404, headers: {}, body: '' })
await startHttp({
  port: Number(port),
  host: '127.0.0.1',
  functions: {
    track,
    site: notFound,
    control: notFound,
    reports: notFound,
    stream: notFound,
    auth: notFound,
    pages: notFound,
    mcp: notFound,
    replay: notFound,
  },
  log,
})
process.stdout.write('ready\n')
