import { readFileSync } from 'node:fs'
import { lazily } from '#core/async/lazily'
import { createUserResolver } from '#core/identity/user-resolver'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createEmailHasher } from '#core/ingest/email-hash'
import { createRefusalCounts } from '#core/ingest/refusal-counts'
import { createRequestCountry } from '#core/ingest/request-country'
import { ownObjects } from '#core/lake/model/own-objects'
import { createFreshness } from '#core/lake/read/freshness'
import { openLake } from '#core/lake/read/snapshot'
import { createLiveBuffer } from '#core/live/buffer'
import { STREAM_DEFAULTS } from '#core/live/event-stream'
import type { ChunkFeed } from '#core/live/new-chunks'
import { createStreamLeases } from '#core/live/stream-leases'
import { createTails } from '#core/live/tails'
import type { Clock, JobQueue, Log } from '#core/ports'
import { openReplays } from '#core/replays/open-replays'
import { keepInMemory } from '#core/reports/run/kept-answers'
import { openScans } from '#core/scans/open-scans'
import type { ScanJob } from '#core/scans/scan'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { authHandler } from '#lambdas/auth/handler'
import { findCaller } from '#lambdas/chain/authenticate'
import { controlHandler } from '#lambdas/control/handler'
import type { HttpFunction } from '#lambdas/http/http'
import { replayHandler } from '#lambdas/replay/handler'
import { reportsHandler } from '#lambdas/reports/handler'
import { siteHandler } from '#lambdas/site/handler'
import { streamHandler } from '#lambdas/stream/handler'
import { trackHandler } from '#lambdas/track/handler'
import type { Route } from '#schemas/route'
import { newDevApproveSecret } from './access/dev-approve-secret.ts'
import type { Access } from './access/open-access.ts'
import { type Counted, countDays } from './backup/count-days.ts'
import { builtChatView, builtDashboard, builtRecorder, builtTracker, builtViewer } from './browser-scripts.ts'
import { lakeDir, queryTempDir } from './data-folder.ts'
import { readEmailKey } from './email-key.ts'
import { type LocalExports, openLocalExports } from './exports/open-exports.ts'
import { openCountryTable } from './http/country-table.ts'
import { createFolderLake } from './lake/folder.ts'
import { createRepairingLog } from './lake/repairs.ts'
import type { Settings } from './settings.ts'
import type { Storage } from './storage.ts'
import type { Counters } from './watch/counters.ts'

/** GET /numbers.md serves this page. */
const NUMBERS = new URL('../docs/api/numbers.md', import.meta.url)

/** How long a request waits for a website analysis, ms. */
const SCAN_WAIT_MS = 60_000

export type FunctionOptions = {
  baseUrl: string
  access: Access
  clock: Clock
  log: Log
  /** Requests the repair of a damaged object of the lake. */
  repair(key: string): void
  /** Brings the new chunks of the live buffer to open streams. */
  feed: ChunkFeed
  /** Runs website analyses. */
  scanJobs: JobQueue<ScanJob>
  /** Counts answers, records and what ingestion refuses. */
  counters: Counters
}

/** Gives the services of one machine to the same handlers that AWS deploys (lambdas/). */
export async function openFunctions(
  settings: Settings,
  storage: Storage,
  { baseUrl, access, clock, log, repair, feed, scanJobs, counters }: FunctionOptions,
): Promise<{
  functions: Record<Route['function'], HttpFunction>
  /** All events by project and day. */
  countDays(): Promise<Counted>
  /** A Unix ms before which every event is in the lake; null if nobody can say. */
  freshUntil(): Promise<number | null>
  exportUpkeep: LocalExports['upkeep']
  freeMemory(): Promise<void>
  close(): Promise<void>
}> {
  const { accounts, projects, experiments, usage, receipts, refused, refusalStore, erasureFeed } = storage
  const { erasures, lakeState, stream, identity } = storage
  const emailKey = readEmailKey(settings.DATA_DIR)
  const emails = createEmailHasher(async () => emailKey)
  const lake = ownObjects(createFolderLake(lakeDir(settings.DATA_DIR)), log)
  const engine = await openQueryEngine({
    lakeDir: lakeDir(settings.DATA_DIR),
    tempDir: queryTempDir(settings.DATA_DIR),
    log: createRepairingLog(log, repair),
    memoryMb: settings.QUERY_MEMORY_MB,
    threads: settings.QUERY_THREADS,
    concurrency: settings.QUERY_CONCURRENCY,
    timeoutMs: settings.QUERY_TIMEOUT_MS,
  })
  const bufferMs = access.profile.live_buffer_seconds * 1_000
  const buffer = createLiveBuffer(storage, { clock, bufferMs })
  const users = createUserResolver({ ...storage, bufferMs, clock })
  const replays = openReplays({
    ...access,
    ...{ client: storage.client, table: storage.table, accounts, projects, clock },
    objects: storage.replayObjects,
  })
  const openSnapshot = () => openLake({ state: lakeState, lake })
  const localExports = openLocalExports({
    ...{ dataDir: settings.DATA_DIR, storage, profile: access.profile, engine, openLake: openSnapshot },
    lake,
    clock,
    log,
  })
  const common = {
    ...access,
    replays,
    exports: localExports.exports,
    accounts,
    projects,
    experiments,
    usage,
    refused,
    refusalStore,
    receipts,
    erasures,
    erasureFeed,
    baseUrl,
    clock,
    log,
    scanStore: storage.scanStore,
    usedEvents: storage.usedEvents,
    scans: openScans({ ...storage, ...access, jobs: scanJobs, clock, waitMs: SCAN_WAIT_MS }),
  }
  const country = openCountryTable()
  const countryHeader = settings.COUNTRY_HEADER ?? null
  const botCounts = createBotCounts({ stream, clock, hasTimer: true })
  const refusals = createRefusalCounts({ store: refusalStore, clock, hasTimer: true })
  const freshUntil = createFreshness({ state: lakeState, stream, clock })
  // The tools of MCP call reports too, so their reads count.
  const counted = counters.ofFunction
  const control = counted(controlHandler(common))
  const reports = counted(
    reportsHandler({
      ...common,
      identity,
      emails,
      engine,
      keptAnswers: keepInMemory(),
      estimator: engine,
      openLake: openSnapshot,
      buffer,
      follow: 'stream' as const,
      users,
      freshUntil,
    }),
  )
  const functions = {
    pages: counted(access.pages),
    mcp: counted(
      loadLater(async () => {
        const { mcpHandler } = await import('#lambdas/mcp/handler')
        return mcpHandler({
          ...common,
          functions: { reports, control },
          secret: async () => emailKey,
          chatView: builtChatView,
        })
      }),
    ),
    auth: counted(
      authHandler({
        ...common,
        country: createRequestCountry(countryHeader, country),
        devApproveSecret: settings.DEV_APPROVE ? newDevApproveSecret(settings.DATA_DIR) : null,
      }),
    ),
    site: counted(
      siteHandler({
        tracker: builtTracker,
        dashboard: builtDashboard,
        viewer: builtViewer,
        numbers: readFileSync(NUMBERS, 'utf8'),
        mayHaveDemo: settings.SEED_DEMO,
        baseUrl,
        log,
      }),
    ),
    control,
    reports,
    replay: counted(replayHandler({ ...common, recorder: builtRecorder })),
    stream: counted(
      streamHandler({
        ...common,
        buffer,
        tails: createTails({ buffer, users, clock, log, feed }),
        leases: createStreamLeases(storage, { clock, isOnlyProcess: true }),
        streamSettings: STREAM_DEFAULTS,
      }),
    ),
    track: counted(
      trackHandler({
        stream: counters.ofStream(stream),
        projects,
        country,
        countryHeader,
        bots: createBotClassifier(),
        botCounts,
        refusals: counters.ofRefusals(refusals),
        findCaller: findCaller(common),
        limits: access.limits,
        emails,
        clock,
        ids: storage.order,
        log,
      }),
    ),
  }
  async function close(): Promise<void> {
    await Promise.all([botCounts.flush(), refusals.flush(), localExports.stop()])
    await engine.close()
  }
  const countAll = () => countDays({ ...storage, engine, openLake: openSnapshot, clock })
  return {
    ...{ functions, countDays: countAll, freshUntil, exportUpkeep: localExports.upkeep },
    freeMemory: engine.freeMemory,
    close,
  }
}

/** A function whose code is loaded for its first request: the library of MCP takes 0.2 s. */
function loadLater(load: () => Promise<HttpFunction>): HttpFunction {
  const loaded = lazily(load)
  return async (route, request) => (await loaded())(route, request)
}
