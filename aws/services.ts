import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDemo } from '#core/access/demo'
import { createSetupLinks } from '#core/access/setup-links'
import { createAuditLog } from '#core/accounts/audit'
import type { FeedbackSink } from '#core/accounts/feedback'
import { createCheckoutReader } from '#core/billing/billing'
import { fillDemo } from '#core/demo/fill-demo'
import { openErasures } from '#core/erasure/open-erasures'
import type { ExportJob } from '#core/exports/export'
import { createExports } from '#core/exports/exports'
import { createErasedUsers } from '#core/identity/erased-users'
import { createIdentityStore } from '#core/identity/identity-store'
import { createErasureRepeat } from '#core/identity/repeat-erasures'
import { createUserResolver } from '#core/identity/user-resolver'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createEmailHasher } from '#core/ingest/email-hash'
import { createArrivalOrder } from '#core/ingest/ids'
import { createRefusalCounts } from '#core/ingest/refusal-counts'
import { createRequestCountry } from '#core/ingest/request-country'
import { createAfterBatch } from '#core/lake/consume/after-batch'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { openLake } from '#core/lake/read/snapshot'
import { createLiveBuffer } from '#core/live/buffer'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { profiles, readProfile } from '#core/plans/profile'
import type { Project } from '#core/projects/project'
import { openReplays } from '#core/replays/open-replays'
import { keepInTable } from '#core/reports/run/kept-answers'
import { openScanWorker } from '#core/scans/open-scan-worker'
import { openScans } from '#core/scans/open-scans'
import { type ScanJob, scanAgent } from '#core/scans/scan'
import { createSiteVisitor } from '#core/scans/visit-site'
import { createBedrockClient } from '#providers/bedrock/create-bedrock-client'
import { createBedrockModel } from '#providers/bedrock/create-bedrock-model'
import { createNetwork } from '#providers/network'
import { systemClock as clock } from '#providers/system-clock'
import { openSiteReader } from '#scanner/read/open-site-reader'
import {
  createAthenaClient,
  createKinesisClient,
  createLambdaClient,
  createS3Client,
  createSecretsManagerClient,
  createSnsClient,
  createSqsClient,
} from './clients.ts'
import { duckdbThreads } from './duckdb-threads.ts'
import { createFeedbackTopic } from './feedback-topic.ts'
import { createFeedbackWebhook } from './feedback-webhook.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { createSqsJobQueue } from './job-queue.ts'
import { createS3Lake } from './lake.ts'
import { createPageBrowser } from './page-browser.ts'
import { createPresigner } from './presigned-address.ts'
import { createAthenaEngine } from './query-engine.ts'
import { athenaEstimator } from './scan-estimator.ts'
import { createSecrets } from './secrets.ts'
import { readSettings } from './settings.ts'
import { createFunctionVisitor } from './site-visitor.ts'
import { type OpenDuckdb, openSmallReads } from './small-reads.ts'
import { createKinesisStream } from './stream.ts'
import { createTracedAccess, createTracedLake, createTracedStores } from './traced-stores.ts'

/**
 * The services of each function of lambdas/ on AWS. When the function starts, they read its settings and
 * create its clients and instruments once. Each function has its own constructor here, so that a bundle holds
 * only the clients that it uses. All throw when a setting is missing or wrong.
 */

type Environment = Record<string, string | undefined>

/** The longest time of a job on AWS, ms. After a fold was killed, the next one begins this late. */
const FOLD_LEASE_MS = 15 * 60_000
/** So a fold ends long before its function is ended. */
const FOLD_RUN_MS = 8 * 60_000

export function createTrackServices(environment: Environment) {
  const { TABLE_NAME, EDGE_KEY, STREAM_ARN, COUNTRY_HEADER, EMAIL_KEY_ARN, ...settings } = readSettings(
    'track',
    environment,
  )
  const { log, trace, instrument } = createInstruments()
  const stream = createKinesisStream({ client: trace(createKinesisClient()), streamArn: STREAM_ARN, log })
  const access = createTracedAccess(createTracedStores(TABLE_NAME, trace), settings, log)
  const services = {
    ...access,
    stream,
    botCounts: createBotCounts({ stream, clock, hasTimer: false }),
    refusals: createRefusalCounts({ store: access.refusalStore, clock, hasTimer: false }),
    // CloudFront sends the country in a header, so the large table of addresses stays out of the bundle.
    country: () => null,
    countryHeader: COUNTRY_HEADER,
    bots: createBotClassifier(),
    emails: createEmails(EMAIL_KEY_ARN, trace),
    clock,
    ids: createArrivalOrder(),
    log,
  }
  return { services, edgeKey: EDGE_KEY, instrument }
}

/** `openDuckdb`: for small reads, where the deployer wants them. */
export function createReportsServices(environment: Environment, openDuckdb: OpenDuckdb) {
  const settings = readSettings('reports', environment)
  const instruments = createInstruments()
  const { log, trace, instrument } = instruments
  const stores = createTracedLake(settings.TABLE_NAME, settings.BUCKET_NAME, instruments)
  const access = createTracedAccess(stores, settings, log)
  return {
    services: {
      ...access,
      ...openReports(settings, { ...instruments, stores, access, openDuckdb }),
      emails: createEmails(settings.EMAIL_KEY_ARN, trace),
      baseUrl: settings.BASE_URL,
      clock,
      log,
    },
    edgeKey: settings.EDGE_KEY,
    instrument,
  }
}

type LakeSettings = Record<'BUCKET_NAME' | 'ATHENA_WORKGROUP' | 'GLUE_DATABASE', string> & {
  READS_MEMORY_MB: number
}
type Opened = Pick<Instruments, 'trace' | 'log'> & {
  stores: ReturnType<typeof createTracedLake>
  access: ReturnType<typeof createTracedAccess>
  openDuckdb: OpenDuckdb
}

/** What reports read: the engine, the lake, the live buffer, and who is who. */
function openReports(
  { BUCKET_NAME, ATHENA_WORKGROUP, GLUE_DATABASE, READS_MEMORY_MB }: LakeSettings,
  { stores, access, trace, log, openDuckdb }: Opened,
) {
  const athena = createAthenaEngine({
    client: trace(createAthenaClient()),
    workGroup: ATHENA_WORKGROUP,
    database: GLUE_DATABASE,
    lakeLocation: `s3://${BUCKET_NAME}`,
  })
  const { lake } = stores
  const answering = { ...athena, ...athenaEstimator }
  const engine =
    READS_MEMORY_MB === 0
      ? answering
      : openSmallReads({
          ...{ athena: answering, lake, log, openDuckdb, memoryMb: READS_MEMORY_MB },
          tempDir: join(tmpdir(), 'reads'),
        })
  const bufferMs = access.profile.live_buffer_seconds * 1_000
  return {
    buffer: createLiveBuffer(stores, { clock, bufferMs }),
    follow: 'poll' as const,
    engine: { ...engine, waitUntilIdle: athena.waitUntilIdle },
    keptAnswers: keepInTable({ ...stores, clock }),
    estimator: engine,
    openLake: () => openLake({ state: stores.lakeState, lake }),
    erasures: openErasures({ ...stores, lake, clock }),
    replays: openReplays({
      ...access,
      objects: createS3Lake({ client: trace(createS3Client()), bucket: BUCKET_NAME }),
      clock,
    }),
    identity: createIdentityStore({ ...stores, lake, clock }),
    users: createUserResolver({ ...stores, clock, bufferMs }),
  }
}

export function createControlServices(environment: Environment) {
  const settings = readSettings('control', environment)
  const { log, trace, instrument } = createInstruments()
  const stores = createTracedLake(settings.TABLE_NAME, settings.BUCKET_NAME, { trace, log })
  const access = createTracedAccess(stores, settings, log, feedbackSinkOf(settings, trace))
  const billing = access.profile.has_payments ? createCheckoutReader({ ...stores, clock }) : null
  const scans = openQueuedScans(access, settings.JOB_QUEUE_URL, trace)
  const exports = openQueuedExports(access, settings, trace)
  const services = { ...access, billing, scans, exports, baseUrl: settings.BASE_URL, clock, log }
  return { services, edgeKey: settings.EDGE_KEY, instrument }
}

/**
 * The function of MCP calls the rows of two others as plain functions, so it has the services of both. They
 * share its instruments.
 */
export function createMcpServices(environment: Environment, openDuckdb: OpenDuckdb) {
  const settings = readSettings('mcp', environment)
  const instruments = createInstruments()
  const { log, trace, instrument } = instruments
  const stores = createTracedLake(settings.TABLE_NAME, settings.BUCKET_NAME, instruments)
  const access = createTracedAccess(stores, settings, log, feedbackSinkOf(settings, trace))
  const common = { ...access, baseUrl: settings.BASE_URL, clock, log }
  const secrets = createSecrets({ client: trace(createSecretsManagerClient()), now: clock.now })
  const emailKey = () => secrets.get(settings.EMAIL_KEY_ARN)
  return {
    reports: {
      ...common,
      ...openReports(settings, { ...instruments, stores, access, openDuckdb }),
      emails: createEmailHasher(emailKey),
    },
    control: {
      ...common,
      billing: access.profile.has_payments ? createCheckoutReader({ ...stores, clock }) : null,
      scans: openQueuedScans(access, settings.JOB_QUEUE_URL, trace),
      exports: NO_EXPORTS,
    },
    services: { ...common, secret: emailKey },
    edgeKey: settings.EDGE_KEY,
    instrument,
  }
}

export function createAuthServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL, EDGE_KEY, COUNTRY_HEADER, ...settings } = readSettings('auth', environment)
  const { log, trace, instrument } = createInstruments()
  const access = createTracedAccess(createTracedStores(TABLE_NAME, trace), settings, log)
  const country = createRequestCountry(COUNTRY_HEADER, () => null)
  const services = { ...access, country, devApproveSecret: null, baseUrl: BASE_URL, clock, log }
  return { services, edgeKey: EDGE_KEY, instrument }
}

export function createReplayServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL, EDGE_KEY, BUCKET_NAME, ...settings } = readSettings('replay', environment)
  const { log, trace, instrument } = createInstruments()
  const stores = createTracedStores(TABLE_NAME, trace)
  const access = createTracedAccess(stores, settings, log)
  const objects = createS3Lake({ client: trace(createS3Client()), bucket: BUCKET_NAME })
  const replays = openReplays({ ...access, objects, clock })
  const services = { ...access, replays, baseUrl: BASE_URL, clock, log }
  return { services, edgeKey: EDGE_KEY, instrument }
}

export function createSiteServices(environment: Environment) {
  const { BASE_URL, EDGE_KEY } = readSettings('site', environment)
  const { log, instrument } = createInstruments()
  return { services: { baseUrl: BASE_URL, mayHaveDemo: true, log }, edgeKey: EDGE_KEY, instrument }
}

export function createLakeServices(environment: Environment) {
  const { log, trace, instrument } = createInstruments()
  const { consumer, state, stream, lake } = openConsumer(readSettings('lake', environment), log, trace)
  const afterBatch = createAfterBatch({ consumer, state, stream, lake, clock, log })
  return { services: { consumer, state, afterBatch, log }, instrument }
}

export function createJobsServices(environment: Environment) {
  const settings = readSettings('jobs', environment)
  const { TABLE_NAME, BUCKET_NAME, COMPACTION_MEMORY_MB, SCAN_FUNCTION, TEXT_MODEL } = settings
  const { log, trace, instrument } = createInstruments()
  const stores = createTracedLake(TABLE_NAME, BUCKET_NAME, { trace, log })
  const { client, table, lake, lakeState: state, usage, projects } = stores
  const erasures = openErasures({ client, table, lakeState: state, lake, clock })
  const identity = {
    ...{ client, table, lake, lakeState: state, projects, clock, log },
    onRemoved: erasures.noteIdentity,
    eraseEvents: erasures.eraseIds,
    leaseMs: FOLD_LEASE_MS,
    runMs: FOLD_RUN_MS,
  }
  const compaction = toCompaction(COMPACTION_MEMORY_MB)
  const scans = openScanWorker({
    ...{ client, table, projects, clock, log, profile: profiles.own },
    visitor: createFunctionVisitor({
      client: trace(createLambdaClient()),
      functionName: SCAN_FUNCTION,
      log,
    }),
    textModel: TEXT_MODEL === '' ? null : createBedrockModel(trace(createBedrockClient()), TEXT_MODEL),
  })
  const tombstones = createTombstoneMending({ lake, ...createErasedUsers({ client, table }), clock, log })
  return {
    services: { state, lake, usage, projects, tombstones, clock, log },
    scans,
    exports: {
      ...{ client, table, projects, clock, accounts: stores.accounts, erasureFeed: stores.erasureFeed },
      identity: createIdentityStore({ client, table, lake, projects, clock }),
      profile: readProfile(settings.PROFILE, settings.LIMITS),
      openLake: () => openLake({ state, lake }),
      objects: createS3Lake({ client: trace(createS3Client()), bucket: BUCKET_NAME }),
      jobs: createSqsJobQueue<ExportJob>({
        client: trace(createSqsClient()),
        queueUrl: settings.JOB_QUEUE_URL,
      }),
    },
    identity,
    compaction,
    instrument,
  }
}

/** `bundle`: the folder of the function's code, which may have a browser. */
export function createScanServices(environment: Environment, bundle: string) {
  const { BASE_URL } = readSettings('scan', environment)
  const { instrument } = createInstruments()
  const client = createOutboundClient({ network: createNetwork(), userAgent: scanAgent(BASE_URL), clock })
  const renderer = createPageBrowser(client, bundle)
  const visitor = createSiteVisitor({ client, renderer, openReader: openSiteReader, clock })
  return { services: { visitor }, instrument }
}

/** The settings of DuckDB in a function. */
function toCompaction(memoryMb: number) {
  return { tempDir: join(tmpdir(), 'compaction'), memoryMb, threads: duckdbThreads(memoryMb) }
}

export function createRestoreServices(environment: Environment) {
  const settings = readSettings('restore', environment)
  const { log, trace, instrument } = createInstruments()
  const { stores, ...services } = openConsumer(settings, log, trace)
  const repeatErasures = createErasureRepeat({ ...stores, clock, log })
  const compaction = toCompaction(settings.COMPACTION_MEMORY_MB)
  return { services: { ...services, repeatErasures, clock, log }, compaction, instrument }
}

export function createOwnerServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL, STREAM_ARN } = readSettings('owner', environment)
  const { log, trace, instrument } = createInstruments()
  const stores = createTracedStores(TABLE_NAME, trace)
  const stream = createKinesisStream({ client: trace(createKinesisClient()), streamArn: STREAM_ARN, log })
  return {
    services: {
      ...stores,
      audit: createAuditLog({ ...stores, clock, log }),
      setupLinks: createSetupLinks({ ...stores, clock }),
      demo: createDemo({ ...stores, clock }),
      fillDemo: (project: Project) =>
        fillDemo({ ...stores, stream, ids: createArrivalOrder(), clock }, project),
      baseUrl: BASE_URL,
    },
    instrument,
  }
}

/** Where feedback goes beside the state table; the deployer chooses at most one. */
function feedbackSinkOf(
  { FEEDBACK_WEBHOOK, FEEDBACK_TOPIC }: { FEEDBACK_WEBHOOK: string; FEEDBACK_TOPIC: string },
  trace: Instruments['trace'],
): FeedbackSink | null {
  if (FEEDBACK_TOPIC !== '')
    return createFeedbackTopic({ client: trace(createSnsClient()), topicArn: FEEDBACK_TOPIC })
  return FEEDBACK_WEBHOOK === '' ? null : createFeedbackWebhook(FEEDBACK_WEBHOOK)
}

/** How long a request waits for a website analysis, ms: less than the gateway waits for the function. */
const SCAN_WAIT_MS = 22_000
/**
 * Analyses without an account at the same time. Each holds a worker of the job queue while it waits for its
 * site, and compaction needs those workers too: a small AWS account has two (lib/concurrency.ts).
 */
const MAX_ANONYMOUS_SCANS = 1

function openQueuedScans(
  access: ReturnType<typeof createTracedAccess>,
  queueUrl: string,
  trace: Instruments['trace'],
) {
  const jobs = createSqsJobQueue<ScanJob>({ client: trace(createSqsClient()), queueUrl })
  return openScans({ ...access, jobs, clock, waitMs: SCAN_WAIT_MS, maxAnonymous: MAX_ANONYMOUS_SCANS })
}

/** Of the function of MCP: no tool has exports, so their code is no part of its bundle. */
const NO_EXPORTS = {
  ...{ start: refuseExport, read: refuseExport, list: refuseExport, remove: refuseExport },
  ...{ download: refuseExport, addressOf: refuseExport },
}

async function refuseExport(): Promise<never> {
  throw new Error('The function of MCP has no exports')
}

function openQueuedExports(
  access: ReturnType<typeof createTracedAccess>,
  { JOB_QUEUE_URL, BUCKET_NAME }: { JOB_QUEUE_URL: string; BUCKET_NAME: string },
  trace: Instruments['trace'],
) {
  return createExports({
    ...access,
    objects: createS3Lake({ client: trace(createS3Client()), bucket: BUCKET_NAME }),
    // Not traced: a trace would show requests that nobody has sent.
    addressOf: createPresigner({ client: createS3Client(), bucket: BUCKET_NAME, clock }),
    jobs: createSqsJobQueue<ExportJob>({ client: trace(createSqsClient()), queueUrl: JOB_QUEUE_URL }),
    clock,
  })
}

/** The hasher of e-mail addresses, with the key from Secrets Manager. */
function createEmails(keyArn: string, trace: Instruments['trace']) {
  const secrets = createSecrets({ client: trace(createSecretsManagerClient()), now: clock.now })
  return createEmailHasher(() => secrets.get(keyArn))
}

/** The consumer of the lake, with what it reads and writes. */
function openConsumer(
  { TABLE_NAME, STREAM_ARN, BUCKET_NAME }: { TABLE_NAME: string; STREAM_ARN: string; BUCKET_NAME: string },
  log: Instruments['log'],
  trace: Instruments['trace'],
) {
  const stores = createTracedLake(TABLE_NAME, BUCKET_NAME, { trace, log })
  const { lake, lakeState: state, usage, projects } = stores
  const stream = createKinesisStream({ client: trace(createKinesisClient()), streamArn: STREAM_ARN, log })
  const consumer = createLakeConsumer({ state, stream, lake, usage, projects, clock, log })
  const tombstones = createTombstoneMending({ lake, ...createErasedUsers(stores), clock, log })
  return { consumer, state, stream, lake, usage, tombstones, stores }
}
