import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import { createLakeConsumer } from '#core/lake/consumer'
import type { LakeJob } from '#core/lake/jobs'
import { createMaintenance } from '#core/lake/maintenance'
import { finishOrphanedClaims } from '#core/lake/orphaned-claims'
import type { Clock } from '#core/ports'
import { createStores } from '#core/stores'
import {
  createAthenaClient,
  createDynamoClient,
  createKinesisClient,
  createS3Client,
  createSqsClient,
} from './clients.ts'
import { type Instruments, openInstruments } from './instruments.ts'
import { createSqsJobQueue } from './job-queue.ts'
import { createS3Lake } from './lake.ts'
import { MAINTENANCE } from './maintenance-settings.ts'
import { createAthenaEngine } from './query-engine.ts'
import { readSettings } from './settings.ts'
import { createKinesisStream } from './stream.ts'

/**
 * What each function of lambdas/ works with on AWS: its settings read, its clients and instruments made, once, when the
 * function starts. One opener a function, so that a bundle holds only the clients that its function uses. All throw
 * when a setting is missing or wrong.
 */

type Environment = Record<string, string | undefined>

const clock: Clock = { now: Date.now }

/** DuckDB's threads share its memory; each needs this much to hold what it sorts, MB. */
const THREAD_MEMORY_MB = 512

export function trackServices(environment: Environment) {
  const { TABLE_NAME, STREAM_ARN, COUNTRY_HEADER } = readSettings('track', environment)
  const { log, traced, instrumented } = openInstruments()
  const { accounts, projects } = openStores(TABLE_NAME, traced)
  const services = {
    stream: createKinesisStream({ client: traced(createKinesisClient()), streamArn: STREAM_ARN, log }),
    accounts,
    projects,
    // Who asks through CloudFront comes with their country; the table of addresses stays out of the bundle.
    country: () => null,
    countryHeader: COUNTRY_HEADER,
    bots: createBotClassifier(),
    clock,
    ids: createArrivalOrder(),
    log,
  }
  return { services, instrumented }
}

export function reportsServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL, ATHENA_WORKGROUP, GLUE_DATABASE } = readSettings('reports', environment)
  const { log, traced, instrumented } = openInstruments()
  const engine = createAthenaEngine({
    client: traced(createAthenaClient()),
    workGroup: ATHENA_WORKGROUP,
    database: GLUE_DATABASE,
  })
  return {
    services: { ...openStores(TABLE_NAME, traced), engine, baseUrl: BASE_URL, clock, log },
    instrumented,
  }
}

export function controlServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL } = readSettings('control', environment)
  const { log, traced, instrumented } = openInstruments()
  return { services: { ...openStores(TABLE_NAME, traced), baseUrl: BASE_URL, clock, log }, instrumented }
}

export function siteServices(environment: Environment) {
  const { BASE_URL } = readSettings('site', environment)
  const { log, instrumented } = openInstruments()
  return { services: { baseUrl: BASE_URL, log }, instrumented }
}

export function lakeServices(environment: Environment) {
  const { TABLE_NAME, STREAM_ARN, BUCKET_NAME } = readSettings('lake', environment)
  const { log, traced, instrumented } = openInstruments()
  const { lakeState: state, usage, projects } = openStores(TABLE_NAME, traced)
  const stream = createKinesisStream({ client: traced(createKinesisClient()), streamArn: STREAM_ARN, log })
  const lake = createS3Lake({ client: traced(createS3Client()), bucket: BUCKET_NAME })
  const consumer = createLakeConsumer({ state, stream, lake, usage, projects, clock, log })
  const finishOrphaned = () => finishOrphanedClaims({ state, stream, consumer, clock })
  return { services: { consumer, state, finishOrphanedClaims: finishOrphaned, log }, instrumented }
}

export function jobsServices(environment: Environment) {
  const { TABLE_NAME, BUCKET_NAME, COMPACTION_MEMORY_MB } = readSettings('jobs', environment)
  const { log, traced, instrumented } = openInstruments()
  const { lakeState: state, usage, projects } = openStores(TABLE_NAME, traced)
  const lake = createS3Lake({ client: traced(createS3Client()), bucket: BUCKET_NAME })
  const threads = Math.max(1, Math.floor(COMPACTION_MEMORY_MB / THREAD_MEMORY_MB))
  const merging = {
    tempDir: join(tmpdir(), 'merging'),
    memoryMb: COMPACTION_MEMORY_MB,
    threads: Math.min(threads, availableParallelism()),
  }
  return { services: { state, lake, usage, projects, log }, merging, instrumented }
}

export function schedulerServices(environment: Environment) {
  const { TABLE_NAME, BUCKET_NAME, JOB_QUEUE_URL, EPOCH_MINUTES } = readSettings('scheduler', environment)
  const { log, gauge, traced, instrumented } = openInstruments()
  const { lakeState: state } = openStores(TABLE_NAME, traced)
  const lake = createS3Lake({ client: traced(createS3Client()), bucket: BUCKET_NAME })
  const jobs = createSqsJobQueue<LakeJob>({ client: traced(createSqsClient()), queueUrl: JOB_QUEUE_URL })
  const settings = { ...MAINTENANCE, epochMs: EPOCH_MINUTES * 60_000 }
  const maintenance = createMaintenance({ state, lake, jobs, clock, log }, settings)
  return { services: { maintenance, state, clock, gauge, log }, instrumented }
}

export function ownerServices(environment: Environment) {
  const { TABLE_NAME, BASE_URL } = readSettings('owner', environment)
  const { traced, instrumented } = openInstruments()
  return { services: { ...openStores(TABLE_NAME, traced), baseUrl: BASE_URL }, instrumented }
}

function openStores(table: string, traced: Instruments['traced']) {
  const state = { client: traced(createDynamoClient()), table }
  return { ...state, ...createStores(state, clock) }
}
