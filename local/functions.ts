import { stop as stopEsbuild } from 'esbuild'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Clock, Log } from '#core/ports'
import { controlHandler } from '#lambdas/control/handler'
import { accountOfKey } from '#lambdas/credential'
import type { HttpFunction } from '#lambdas/http'
import { reportsHandler } from '#lambdas/reports/handler'
import { siteHandler } from '#lambdas/site/handler'
import { trackHandler } from '#lambdas/track/handler'
import type { Route } from '#schemas/routes'
import { buildTracker } from '#tracker/build'
import { openCountryTable } from './http/country.ts'
import { openQueryEngine } from './lake/query-engine.ts'
import { repairing } from './lake/repairs.ts'
import type { Settings } from './settings.ts'
import { lakeDir, queryingDir, type Storage } from './storage.ts'

export type ServiceOptions = {
  baseUrl: string
  clock: Clock
  log: Log
  /** Has a damaged object of the lake made anew. */
  repair(key: string): void
}

/** The services of one machine, bound to the same handlers that AWS deploys (lambdas/). */
export async function openFunctions(
  settings: Settings,
  storage: Storage,
  { baseUrl, clock, log, repair }: ServiceOptions,
): Promise<{ functions: Record<Route['function'], HttpFunction>; close(): Promise<void> }> {
  const { accounts, projects, usage, lakeState, stream } = storage
  const [tracker, engine] = await Promise.all([
    buildTracker(),
    openQueryEngine({
      lakeDir: lakeDir(settings.DATA_DIR),
      tempDir: queryingDir(settings.DATA_DIR),
      log: repairing(log, repair),
      memoryMb: settings.QUERY_MEMORY_MB,
      threads: settings.QUERY_THREADS,
      concurrency: settings.QUERY_CONCURRENCY,
      timeoutMs: settings.QUERY_TIMEOUT_MS,
    }),
  ])
  // It keeps a process of its own for further builds; there are none.
  await stopEsbuild()
  const common = { accounts, projects, usage, baseUrl, clock, log }
  const functions = {
    site: siteHandler({ tracker, baseUrl, log }),
    control: controlHandler(common),
    reports: reportsHandler({ ...common, engine, lakeState }),
    track: trackHandler({
      stream,
      projects,
      country: openCountryTable(),
      countryHeader: settings.COUNTRY_HEADER ?? null,
      bots: createBotClassifier(),
      accountOfKey: accountOfKey(common),
      clock,
      ids: createArrivalOrder(),
      log,
    }),
  }
  return { functions, close: engine.close }
}
