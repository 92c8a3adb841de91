import { setTimeout as sleep } from 'node:timers/promises'
import { createAuditLog } from '#core/accounts/audit'
import { DEMO_EVENTS } from '#core/demo/demo-records'
import { ensureDemoExperiment } from '#core/demo/experiment'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Clock, Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import { openScanMaintenance } from '#core/scans/open-scan-maintenance'
import { scanAgent } from '#core/scans/scan'
import { systemClock as clock } from '#providers/system-clock'
import type { Credentials } from '#schemas/owner'
import { openAdminSocket } from './access/admin-socket.ts'
import { openAccess } from './access/open-access.ts'
import { profileOf } from './access/profile.ts'
import {
  apiKeyPath,
  readCredentials,
  withKeyFiles,
  writeApiKey,
  writeCredentials,
} from './credentials-file.ts'
import { isSeedUnfinished, seedDemo } from './demo/seed.ts'
import { createDemoSite } from './demo/site.ts'
import { connectionsWithin, readFileLimit } from './file-limit.ts'
import { openFunctions } from './functions.ts'
import { CAPS, createAdmission } from './http/admission.ts'
import { listen, reservePort } from './http/listen.ts'
import { bridgeNetwork, proxyAdvice } from './http/proxy-advice.ts'
import { createProxyWatch } from './http/proxy-watch.ts'
import { trustProxies } from './http/trusted-proxies.ts'
import { isOpenToOthers, lockFolder } from './lock.ts'
import { assertStateFile } from './lost-state.ts'
import { ensureOwner } from './owner.ts'
import { type PipelineThread, startPipeline } from './pipeline/start.ts'
import { assertArrived, assertNotPromoted } from './promotion-note.ts'
import { findFence } from './scans/find-fence.ts'
import { createScanThread } from './scans/scan-thread.ts'
import type { Settings } from './settings.ts'
import { startStateMaintenance } from './state/maintenance.ts'
import { openStorage, type Storage } from './storage.ts'
import { watchCode } from './watch/code-watch.ts'
import { createCounters } from './watch/counters.ts'
import { readLastBackup } from './watch/last-backup.ts'
import { createMetricsPage } from './watch/metrics-page.ts'
import { createProbes } from './watch/probes.ts'
import { createReadings } from './watch/readings.ts'
import { metricsText, serviceState } from './watch/service-state.ts'

export type Service = {
  credentials: Credentials
  /** False: the key of credentials.json was replaced, and the file does not have the new one. */
  isKeyLive: boolean
  /** A new one-time link that signs a browser in as the owner, or as the account of an address. */
  setupLink(email?: string): Promise<string>
  /** Gives memory that the process has freed back to the system. */
  freeMemory(): Promise<void>
  /** Finishes the open requests and the current batch, then closes all files. */
  stop(): Promise<void>
}

export type ServiceStart = {
  /**
   * Rejects with FolderError or PortError when the operator can fix the problem; any other error is our bug.
   */
  ready: Promise<Service>
  /**
   * Ends what must end before the process exits without `stop`. DuckDB aborts a process that exits while a
   * thread runs a statement. The next start continues.
   */
  halt(): Promise<void>
}

/** Tells the operator how far the start is: a label of one word, and a text. */
export type ReportStatus = (label: string, text: string) => void

/** With fewer connections than this the start says so: a busy site has more visitors at once. */
const FEW_CONNECTIONS = 2_000
/** The start waits this long for the lake to take another demo event, ms. */
const NO_PROGRESS_MS = 60_000

/**
 * Starts the service of one machine. The process should end after an error. A start that is killed at any
 * point is continued by the next one.
 */
export function startService(
  settings: Settings,
  log: Log,
  reportStatus: ReportStatus,
  sockets: readonly number[],
): ServiceStart {
  let pipeline: PipelineThread | null = null
  const ready = openService(settings, log, reportStatus, sockets, thread => {
    pipeline = thread
  })
  return { ready, halt: async () => pipeline?.halt() }
}

async function openService(
  settings: Settings,
  givenLog: Log,
  reportStatus: ReportStatus,
  sockets: readonly number[],
  onPipeline: (thread: PipelineThread) => void,
): Promise<Service> {
  const { DATA_DIR } = settings
  const startedAt = clock.now()
  const counters = createCounters()
  const log = counters.ofLog(givenLog)
  const fileLimit = readFileLimit()
  const connections = connectionsWithin(fileLimit, settings.QUERY_THREADS)
  if (connections < FEW_CONNECTIONS) {
    reportStatus(
      'files',
      `The limit of open files is ${fileLimit}, so at most ${connections} connections are open at once. \`ulimit -n\` raises it.`,
    )
  }
  const advice = proxyAdvice(settings, bridgeNetwork())
  if (advice !== null) reportStatus('proxy', advice)
  assertArrived(DATA_DIR)
  assertStateFile(DATA_DIR)
  assertNotPromoted(DATA_DIR)
  const lock = lockFolder(DATA_DIR)
  if (isOpenToOthers(DATA_DIR)) log('FOLDER_OPEN_TO_OTHERS', { folder: DATA_DIR })
  const storedCredentials = readCredentials(DATA_DIR)
  const reserved = settings.PORT === 0 ? await reservePort(settings.HOST) : null
  const port = reserved?.port ?? settings.PORT
  const baseUrl = settings.BASE_URL ?? `http://localhost:${port}`

  const opened = await openStorage({
    dataDir: DATA_DIR,
    compactionMemoryMb: settings.COMPACTION_MEMORY_MB,
    clock,
    log,
  })
  const storage = { ...opened, accounts: withKeyFiles(opened.accounts, DATA_DIR, log) }
  // Storage has deleted what browsers of an earlier process left.
  const finding = findFence(DATA_DIR, settings.CHROMIUM_PATH)
  const isNew = await storage.isNew()
  if (storedCredentials === null)
    reportStatus('account', 'Creating an owner account, an API key and the project demo.')
  const { credentials, project } = await ensureOwner(
    { ...storage, audit: createAuditLog({ ...storage, clock, log }) },
    storedCredentials,
    baseUrl,
  )
  const pipeline = startPipeline(
    {
      dataDir: DATA_DIR,
      compactionMemoryMb: settings.COMPACTION_MEMORY_MB,
      epochMs: settings.EPOCH_SECONDS * 1_000,
      retentionMs: settings.STREAM_RETENTION_MINUTES * 60_000,
      liveBufferMs: profileOf(settings).live_buffer_seconds * 1_000,
      queryTimeoutMs: settings.QUERY_TIMEOUT_MS,
    },
    log,
  )
  onPipeline(pipeline)
  await pipeline.started
  const access = await openAccess(settings, storage, {
    baseUrl,
    ownerId: credentials.account_id,
    clock,
    log,
  })
  // Demo sessions read the project with made-up traffic, and nothing where there is none.
  const demoProject = settings.SEED_DEMO ? project : null
  await access.demo.setProject(demoProject)
  if (demoProject !== null) await ensureDemoExperiment(storage.experiments, demoProject, clock.now())
  const { fence, text } = await finding
  reportStatus('browser', text)
  const scanThread = createScanThread(
    {
      dataDir: DATA_DIR,
      userAgent: scanAgent(baseUrl),
      chromiumPath: settings.CHROMIUM_PATH,
      fence,
      textModel: settings.TEXT_MODEL,
    },
    log,
  )
  const {
    functions,
    countDays,
    freshUntil,
    exportUpkeep,
    freeMemory,
    close: closeFunctions,
  } = await openFunctions(settings, storage, {
    baseUrl,
    access,
    clock,
    log,
    repair: pipeline.repair,
    feed: pipeline.feed,
    scanJobs: scanThread,
    counters,
  })
  const scans = openScanMaintenance({ ...storage, jobs: scanThread, clock })
  await scans.resumeAll()
  await exportUpkeep.resumeAll()
  const demoSite = createDemoSite({
    baseUrl,
    project: credentials.project,
    token: credentials.project_token,
    apiKeyFile: apiKeyPath(DATA_DIR),
  })
  const proxies = trustProxies(settings.TRUSTED_PROXIES ?? [])
  const probes = createProbes({ proxies, clock })
  const readings = createReadings({
    ...storage,
    freshUntil,
    lastBackup: () => readLastBackup(DATA_DIR),
    clock,
  })
  const watched = { readings, counters, startedAt }
  const metricsPage = createMetricsPage({
    secret: settings.METRICS_SECRET,
    read: () => metricsText(watched),
    log,
  })
  await reserved?.release()
  const http = await listen({
    port,
    host: settings.HOST,
    sockets,
    functions,
    admission: createAdmission({ ...CAPS, connections }, log),
    proxies,
    watchCaller: createProxyWatch(settings.TRUSTED_PROXIES ?? [], log),
    tellsAddress: settings.BASE_URL === undefined,
    countryHeader: settings.COUNTRY_HEADER,
    localPages: (request, response) =>
      [demoSite, metricsPage, probes.serve, access.serve].some(serve => serve(request, response)),
    log,
  })
  const admin = await openAdminSocket(DATA_DIR, {
    setupLink: access.setupLink,
    countDays,
    readState: () => serviceState(watched, { settings, baseUrl, connections, signInWays: access.signInWays }),
    openProbe: async () => probes.open(),
    log,
  }).catch(error => {
    reportStatus(
      'admin',
      `\`footfall admin link\` and \`footfall doctor\` do not work here, and backups cannot be counted: the socket in ${DATA_DIR} cannot be opened (${error.code}). A shorter path may help.`,
    )
    return null
  })
  const codeWatch = watchCode(log)
  const stateMaintenance = startStateMaintenance({
    ...storage,
    dataDir: DATA_DIR,
    billing: access.billing,
    profile: access.profile,
    scans,
    exports: exportUpkeep,
    clock,
    log,
  })
  // The key may have been replaced since the service accepts requests.
  const { api_key } = readCredentials(DATA_DIR) ?? credentials
  const isKeyLive = (await storage.accounts.byApiKey(api_key)) !== null
  if (storedCredentials?.base_url !== baseUrl) writeCredentials(DATA_DIR, { ...credentials, api_key })
  if (isKeyLive) writeApiKey(DATA_DIR, api_key)
  if (project !== null && ((isNew && settings.SEED_DEMO) || isSeedUnfinished(DATA_DIR))) {
    await fillDemo(storage, project, { dataDir: DATA_DIR, clock, log, reportStatus })
  }
  return {
    credentials,
    isKeyLive,
    setupLink: access.setupLink,
    freeMemory,
    async stop() {
      codeWatch.stop()
      await http.close()
      await admin?.close()
      await stateMaintenance.stop()
      await scanThread.stop()
      await pipeline.stop()
      await closeFunctions()
      await access.close()
      await storage.close()
      lock.release()
    },
  }
}

type DemoOptions = { dataDir: string; clock: Clock; log: Log; reportStatus: ReportStatus }

/**
 * Fills the demo project. A failure, as on a full disk, does not end a service that accepts requests already.
 */
async function fillDemo(
  storage: Storage,
  project: Project,
  { dataDir, clock, log, reportStatus }: DemoOptions,
): Promise<void> {
  reportStatus('demo', `Adding ${DEMO_EVENTS} events of the last 30 days to the project ${project.name}.`)
  try {
    await seedDemo({ dataDir, stream: storage.stream, ids: createArrivalOrder(), clock }, project)
    await waitUntilStored(storage, project.id, DEMO_EVENTS, reportStatus)
  } catch (error) {
    log('DEMO_UNFINISHED', { error: String(error) })
  }
}

/**
 * Waits until reports can read the demo events, and reports the progress once a second. The progress comes
 * from the usage counters. These are not exact enough to end the wait: events that were sent again after a
 * kill count twice until compaction has dropped the copies.
 */
async function waitUntilStored(
  storage: Storage,
  projectId: string,
  events: number,
  reportStatus: ReportStatus,
): Promise<void> {
  let reportedAt = Date.now()
  let last = { stored: 0, at: Date.now() }
  while (!(await storage.isDrained())) {
    await sleep(50)
    if (Date.now() - last.at > NO_PROGRESS_MS) throw new Error('The events wait in the log for the lake.')
    if (Date.now() - reportedAt < 1_000) continue
    reportedAt = Date.now()
    const [totals] = await storage.usage.totals([projectId])
    const stored = Math.min(events, totals?.events ?? 0)
    if (stored > last.stored) last = { stored, at: reportedAt }
    reportStatus('demo', `${stored} of ${events} events are in the lake.`)
  }
}
