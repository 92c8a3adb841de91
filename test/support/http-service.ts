import { randomBytes } from 'node:crypto'
import { createAccessStores } from '#core/access-stores'
import type { Account } from '#core/accounts/account'
import { createAccountStore } from '#core/accounts/store'
import { openErasures } from '#core/erasure/open-erasures'
import { createErasureReceipts } from '#core/erasure/receipts'
import { createErasureStore } from '#core/erasure/store'
import { createExperimentStore } from '#core/experiments/store'
import type { ExportJob } from '#core/exports/export'
import { createExports } from '#core/exports/exports'
import { createErasureFeed } from '#core/identity/erasure-feed'
import { createIdentityFold } from '#core/identity/fold/fold'
import { createRefusedCounts } from '#core/identity/fold/refused-counts'
import { createIdentityStore } from '#core/identity/identity-store'
import { createUserResolver } from '#core/identity/user-resolver'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createEmailHasher } from '#core/ingest/email-hash'
import { createArrivalOrder } from '#core/ingest/ids'
import { createRefusalCounts } from '#core/ingest/refusal-counts'
import { createLakeStateStore } from '#core/lake/model/state-store'
import { createLiveBuffer } from '#core/live/buffer'
import { STREAM_DEFAULTS } from '#core/live/event-stream'
import { createStreamLeases } from '#core/live/stream-leases'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import { type ProfileName, readProfile } from '#core/plans/profile'
import type { JobQueue } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createProjectStore } from '#core/projects/store'
import { openReplays } from '#core/replays/open-replays'
import { keepInMemory } from '#core/reports/run/kept-answers'
import type { ScanJob } from '#core/scans/scan'
import { createScanStore } from '#core/scans/scan-store'
import { gatherReads } from '#core/usage/gathered-reads'
import { createRefusalStore } from '#core/usage/refusal-store'
import { createUsageStore } from '#core/usage/store'
import { createUsedEvents } from '#core/usage/used-events'
import { buildChatView } from '#dashboard/build'
import { authHandler } from '#lambdas/auth/handler'
import { findCaller } from '#lambdas/chain/authenticate'
import { controlHandler } from '#lambdas/control/handler'
import { sessionCookie } from '#lambdas/http/cookies'
import { mcpHandler } from '#lambdas/mcp/handler'
import { replayHandler } from '#lambdas/replay/handler'
import { reportsHandler } from '#lambdas/reports/handler'
import type { ReportsServices } from '#lambdas/reports/services'
import { siteHandler } from '#lambdas/site/handler'
import { type StreamServices, streamHandler } from '#lambdas/stream/handler'
import { trackHandler } from '#lambdas/track/handler'
import { startHttp } from '#local/http/server'
import { systemClock } from '#providers/system-clock'
import { errorCodes } from '#schemas/errors'
import type { Route } from '#schemas/route'
import { errorsOf } from '#schemas/routes'
import { builtViewer } from '#test/setup/built-viewer'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { createFakeClock } from './fake-clock.ts'
import { fixedLake } from './fixed-lake.ts'
import { createIdentityWriter, type Identified, personIdRows } from './identity-files.ts'
import type { SiteAnswer } from './site-network.ts'
import { openTestScans } from './test-scans.ts'
import { openTestState } from './test-state.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

export const BASE_URL = 'https://footfall.example'
/** The secret of POST /dev/approve. */
export const DEV_APPROVE_SECRET = `aad_${'5e'.repeat(32)}`
/** 2026-11-21, noon UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12)

export type RequestOptions = {
  /** Value of the first path parameter. */
  id?: string
  /** Value of the last path parameter of two. */
  part?: string
  query?: Record<string, string>
  /** API key for the header. Null sends none. Default: the key of `owner`. */
  key?: string | null
  headers?: Record<string, string>
  /** Sent as JSON, except bytes, which are sent as they are. */
  body?: unknown
}

/** The options of a request that has a token in the place of the owner's key. */
export const bearer = (token: string): RequestOptions => ({
  key: null,
  headers: { Authorization: `Bearer ${token}` },
})

export type JsonResponse = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

export type HttpServiceOptions = {
  profile?: ProfileName
  /** Numbers of the profile that are replaced. */
  limits?: string
  /** The numbers of AWS. */
  areReadsBilled?: boolean
  /** Times of streams, which pass by `wait`. Default: a stream ends after its first block. */
  streams?: Partial<StreamServices['streamSettings']>
  /**
   * How long audit entries and counts of reports wait for others, ms. Default 0, as on AWS; the service of
   * one machine gathers them.
   */
  gatherMs?: number
  /** What the websites answer that are analysed. */
  site?: (url: string) => SiteAnswer | null
  /**
   * Who runs the analyses, given the folder of the state; default: this process, on a network without
   * sockets.
   */
  scanJobs?: (folder: string) => JobQueue<ScanJob>
  /** A lake that is not empty. */
  reading?: Partial<Pick<ReportsServices, 'engine' | 'openLake' | 'keptAnswers' | 'estimator'>>
  /** Deadlines never end, so that a slow machine splits no pack of statements. */
  isPatient?: boolean
  /** As on one machine without BASE_URL. */
  tellsAddress?: boolean
  /** Null: DEV_APPROVE is not set. */
  devApproveSecret?: string | null
}

/**
 * Opens all HTTP functions behind the server of one machine. Chain, accounts, projects and usage are real and
 * use a state of their own. The stream collects records. The lake is empty unless `reading` has another one.
 * There are two accounts:
 * `owner` and `stranger`.
 */
export async function openHttpService({
  profile: name = 'own',
  limits = '',
  areReadsBilled = false,
  streams = {},
  gatherMs = 0,
  site,
  scanJobs,
  reading = {},
  isPatient = false,
  devApproveSecret = DEV_APPROVE_SECRET,
  tellsAddress = false,
}: HttpServiceOptions = {}) {
  const state = await openTestState()
  const time = createFakeClock(NOW)
  // Pauses of the stores pass by themselves; the times of streams pass when a test moves the clock.
  const never = () => new AbortController().signal
  const clock = { ...systemClock, now: time.now, ...(isPatient && { deadline: never }) }
  const accounts = createAccountStore({ ...state, clock })
  const emails = createEmailHasher(async () => 'key of the index')
  const logged: { code: string; fields: unknown }[] = []
  const log = (code: string, fields?: unknown) => void logged.push({ code, fields })
  const counters = createUsageStore(state)
  const reads = gatherMs === 0 ? null : gatherReads(counters, { waitMs: gatherMs, clock, log })
  const usage = reads ?? counters
  const projects = createProjectStore({ ...state, clock, usage, scans: createScanStore({ ...state, clock }) })
  const lake = createSimulatedLake()
  const identity = createIdentityStore({ ...state, lake, projects, clock })
  const writeIdentities = createIdentityWriter(lake, clock)
  const streamRecords: Uint8Array[] = []
  const stream = { append: async (records: readonly Uint8Array[]) => void streamRecords.push(...records) }
  const feedback: unknown[] = []
  const access = createAccessStores({
    ...state,
    accounts,
    projects,
    usage,
    profile: readProfile(name, limits, { areReadsBilled }),
    admitted: ['@example.com'],
    feedbackSink: { deliver: async given => void feedback.push(given) },
    gatherMs,
    clock,
    log,
  })
  const lakeState = createLakeStateStore(state, { lake, clock })
  const experiments = createExperimentStore({ ...state, clock })
  const order = createArrivalOrder()
  const erasures = openErasures({ ...state, lakeState, lake, clock, order })
  const receipts = createErasureReceipts({ erasures: createErasureStore(state), lakeState })
  const bufferMs = access.profile.live_buffer_seconds * 1_000
  const buffer = createLiveBuffer(state, { clock, bufferMs })
  const users = createUserResolver({ ...state, projects, clock, bufferMs })
  const replays = openReplays({ ...access, ...state, accounts, projects, objects: lake, clock })
  const refusalStore = createRefusalStore(state)
  const exportJobs: ExportJob[] = []
  const erasureFeed = createErasureFeed({ ...state, clock })
  const common = {
    ...access,
    replays,
    erasures,
    receipts,
    refused: createRefusedCounts(state),
    erasureFeed,
    exports: createExports({
      ...{ ...state, erasureFeed, objects: lake, profile: access.profile, clock, addressOf: null },
      jobs: { send: async job => void exportJobs.push(job) },
    }),
    refusalStore,
    usedEvents: createUsedEvents(state),
    accounts,
    projects,
    experiments,
    usage,
    billing: null,
    baseUrl: BASE_URL,
    clock,
    log,
    ...openTestScans({ ...state, ...access, projects, clock, log, site, jobs: scanJobs?.(state.folder) }),
  }
  const control = controlHandler(common)
  const reports = reportsHandler({
    ...common,
    // The lake is empty, but it knows every user who is to be erased.
    engine: {
      rows: async query => {
        if (query.text.includes('AS user_activity WHERE')) return [{ events: 2 }]
        if (query.text.includes('AS user_session')) return [{ sessions: 1 }]
        return query.text.includes('previous_id AS id') ? personIdRows(lake, query) : []
      },
    },
    openLake: async () => fixedLake(),
    keptAnswers: keepInMemory(),
    buffer,
    follow: 'stream' as const,
    identity,
    users,
    emails,
    ...reading,
  })
  const server = await startHttp({
    port: 0,
    log,
    tellsAddress,
    functions: {
      site: siteHandler({
        tracker: async () => ({
          code: 'small',
          source: 'readable',
          sha256: '0a',
          core: { code: 'smaller', sha256: '0b' },
        }),
        dashboard: async () => ({
          files: { 'app-0A.js': { contentType: 'application/javascript', text: 'start()' } },
        }),
        viewer: builtViewer,
        numbers: '# What the numbers mean',
        mayHaveDemo: true,
        baseUrl: BASE_URL,
        log,
      }),
      auth: authHandler({ ...common, country: () => 'DE', devApproveSecret }),
      control,
      replay: replayHandler({ ...common, recorder: async () => ({ code: 'small', sha256: '0a' }) }),
      pages: async () => {
        throw new Error('This service has no pages. Use openPagesService.')
      },
      reports,
      mcp: mcpHandler({
        ...common,
        functions: { reports, control },
        secret: async () => 'secret of the install',
        chatView: buildChatView,
      }),
      stream: streamHandler({
        ...common,
        clock: time,
        buffer,
        tails: createTails({ buffer, users, clock, log }, { ...TAIL_DEFAULTS, pollMs: 20 }),
        leases: createStreamLeases(state, { clock, isOnlyProcess: false }),
        streamSettings: { ...STREAM_DEFAULTS, maxMs: 0, ...streams },
      }),
      track: trackHandler({
        stream,
        botCounts: createBotCounts({ stream, clock, hasTimer: false }),
        refusals: createRefusalCounts({ store: refusalStore, clock, hasTimer: false }),
        projects,
        country: () => null,
        countryHeader: null,
        bots: createBotClassifier(),
        findCaller: findCaller(common),
        limits: access.limits,
        emails,
        clock,
        ids: order,
        log,
      }),
    },
  })

  const proPlan = { tier: 'pro', complimentary: true } as const
  const owner = await accounts.create({ ...proPlan, email: 'owner@example.com' })
  const stranger = await accounts.create({ ...proPlan, email: 'stranger@example.com' })
  const revokedKey = await accounts.issueApiKey(owner.id)
  let key = await accounts.issueApiKey(owner.id)
  const strangersKey = await accounts.issueApiKey(stranger.id)
  const cookie = sessionCookie(BASE_URL)

  /** Returns the headers of a signed-in browser on a page of the service. */
  async function browser(account: Pick<Account, 'id'> = owner): Promise<Record<string, string>> {
    const { token } = await access.browserSessions.create(account.id)
    return { Cookie: cookie.set(token).split(';')[0] as string, Origin: BASE_URL }
  }

  /** Creates a project with a unique name. */
  async function createProject(account = owner): Promise<Project> {
    const name = `p-${randomBytes(8).toString('hex')}`
    return (await projects.create({ account, name })).project
  }

  /**
   * Sends a request to a route. Throws when the response has an error code that the route does not list, or a
   * 401 without the header that says where to get access.
   */
  async function call(route: Route, options: RequestOptions = {}): Promise<JsonResponse> {
    const path = route.path
      .replace(/\{\w+\}/, encodeURIComponent(options.id ?? ''))
      .replace(/\{\w+\}/, encodeURIComponent(options.part ?? 'none'))
    const query = new URLSearchParams(options.query)
    const apiKey = options.key === undefined ? key : options.key
    const response = await fetch(`http://127.0.0.1:${server.port}${path}?${query}`, {
      method: route.method,
      headers: {
        'User-Agent': HUMAN_USER_AGENT,
        ...(apiKey !== null && { 'X-API-Key': apiKey }),
        ...options.headers,
      },
      ...(options.body !== undefined && {
        body: options.body instanceof Uint8Array ? Buffer.from(options.body) : JSON.stringify(options.body),
      }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    const body = isJson ? JSON.parse(text) : {}
    if (!response.ok && route.responses[response.status] === undefined) {
      assertListedError(route, response.status, body)
    }
    // A project token is not got by an agent (U56).
    if (
      response.headers.has('www-authenticate') !== (response.status === 401 && body.error !== 'INVALID_TOKEN')
    )
      throw new Error(`${route.method} ${route.path}: ${response.status} has the wrong WWW-Authenticate.`)
    // Gateways rename the header, so the body of the same responses says it too.
    const named = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]
    if (isJson && body.error !== undefined && body.resource_metadata !== named)
      throw new Error(`${route.method} ${route.path}: ${response.status} has the wrong resource_metadata.`)
    return { status: response.status, headers: response.headers, body, text }
  }

  const fold = createIdentityFold({
    ...{ client: state.client, table: state.table, lake, lakeState, projects, clock, log },
    onRemoved: erasures.noteIdentity,
  })

  return {
    replays,
    identity,
    /** Takes what erasures and identify requests have left to do. */
    foldIdentities: fold.run,
    /** Folds identify requests that the lake consumer would find in the stream. */
    async identify(projectId: string, requests: readonly Identified[]) {
      await writeIdentities(projectId, requests)
      await fold.run()
    },
    ...access,
    scans: common.scans,
    scanStore: common.scanStore,
    call,
    createProject,
    browser,
    accounts,
    erasures,
    lakeState,
    exports: common.exports,
    /** Jobs of exports, which nobody runs. */
    exportJobs,
    /** Links files, tombstones and manifests; the engine does not read them. */
    lake,
    feedback,
    state,
    /** Issues a new key of `owner`, which later calls use. */
    async newKey() {
      key = await accounts.issueApiKey(owner.id)
      return key
    },
    /** Moves the clock of the service ahead. */
    wait: time.advance,
    now: time.now,
    projects,
    experiments,
    usage,
    owner,
    stranger,
    key,
    revokedKey,
    strangersKey,
    streamRecords,
    buffer,
    emails,
    port: server.port,
    logged,
    async close() {
      await server.close()
      await Promise.all([access.audit.flush(), reads?.flush()])
      await state.close()
    },
  }
}

export type HttpService = Awaited<ReturnType<typeof openHttpService>>

function assertListedError(route: Route, status: number, { error }: { error?: unknown }): void {
  const listed = errorsOf(route).filter(code => errorCodes[code].status === status)
  if (!listed.some(code => code === error)) {
    throw new Error(
      `${route.method} ${route.path} responds with ${status} ${String(error)}, which its row does not list.`,
    )
  }
}
