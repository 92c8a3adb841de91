import { mkdirSync } from 'node:fs'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Project } from '#core/projects/project'
import type { HttpFunction } from '#lambdas/http'
import { trackHandler } from '#lambdas/track/handler'
import { openCountryTable } from '#local/http/country'
import { startHttp } from '#local/http/server'
import { openStream } from '#local/stream/stream'

/**
 * Ingestion alone: the service's HTTP front, track function and log, without what reads the log. It tells what a
 * request costs before the lake takes its share of the machine; bench/ingest.ts starts it with `--alone`.
 * Arguments: port, data folder, project token.
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
  bucket: 5,
  has_event_ids: false,
  created_at: new Date(0).toISOString(),
  deleted_at: null,
}
const track = trackHandler({
  stream: await openStream(dir, { log }),
  projects: { byToken: async sent => (sent === token ? project : null) },
  country: openCountryTable(),
  countryHeader: null,
  bots: createBotClassifier(),
  accountOfKey: async () => null,
  clock: { now: Date.now },
  ids: createArrivalOrder(),
  log,
})
const elsewhere: HttpFunction = async () => ({ status: 404, headers: {}, body: '' })
await startHttp({
  port: Number(port),
  host: '127.0.0.1',
  functions: { track, site: elsewhere, control: elsewhere, reports: elsewhere },
  log,
})
process.stdout.write('ready\n')
