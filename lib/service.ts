import { Annotations, Duration, Stack, Token } from 'aws-cdk-lib'
import { FunctionUrl, FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { EXPORT_PREFIX } from '#schemas/exports'
import { type FunctionName, functions } from '#schemas/functions'
import { MANIFEST_PREFIX as MANIFESTS } from '#schemas/manifests'
import { REPLAY_PREFIX } from '#schemas/replays'
import { Alarms } from './alarms.ts'
import { Api } from './api.ts'
import { createBudget } from './budget.ts'
import { Catalog } from './catalog.ts'
import { shareConcurrency } from './concurrency.ts'
import { type Config, ConfigError } from './config.ts'
import { COUNTRY_HEADER_SEEN, Edge } from './edge.ts'
import { EdgeKeys } from './edge-keys.ts'
import { feedFromQueue, feedFromStream, feedLive } from './event-sources.ts'
import { ServiceFunction, type TableAction } from './function.ts'
import { COMPACTION_MEMORY_MB, functionSize } from './function-sizes.ts'
import { HealthDashboard } from './health-dashboard.ts'
import { JobQueue } from './job-queue.ts'
import { createMetrics } from './metrics.ts'
import { createOutputs } from './outputs.ts'
import { findRegionProblems } from './regions.ts'
import { Rollout } from './rollout.ts'
import { MinuteSchedule } from './schedule.ts'
import { FAILURES_PREFIX, QUARANTINE_PREFIX, Storage, WAITING_PREFIX } from './storage.ts'
import { EventStream } from './stream.ts'

export type ServiceProps = {
  config: Config
  /** The folder with the bundle of each function. */
  folders: Record<FunctionName, string>
}

const HOT = `${tables.events_hot.prefix}/`
const LINKS = `${tables.links.prefix}/`
const IDENTITY = `${tables.identity_hot.prefix}/`
const TOMBSTONES = `${tables.tombstones.prefix}/`
const TRAITS = `${tables.user_traits.prefix}/`
const SEGMENTS = Object.values(tables)
  .map(({ prefix }) => `${prefix}/`)
  .filter(prefix => ![HOT, LINKS, IDENTITY, TOMBSTONES, TRAITS].includes(prefix))

const SET_ASIDE = [QUARANTINE_PREFIX, WAITING_PREFIX]

const NO_ADDRESS =
  'Nobody gets the alarms. Set the option alarmEmail (or alarmTopicArn) in cdk.json: {"context": {"alarmEmail": "you@example.com"}}.'

/** Reads, creates and changes items. */
const READ_AND_WRITE: TableAction[] = ['GetItem', 'PutItem', 'UpdateItem']

/**
 * All of Footfall in one stack, for any account and region of the partition `aws`. China and GovCloud are not
 * supported: CloudFront and its certificates differ there, or do not exist.
 */
export class Service extends Stack {
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, { config: options, folders }: ServiceProps) {
    const shares = shareConcurrency(options)
    const config = { ...options, limits: shares.limits }
    super(scope, id, {
      stackName: config.stackName,
      description: 'Footfall: web analytics that agents can query',
      terminationProtection: config.terminationProtection,
      // With these the CDK refuses credentials of another account. Without them the stack fits everywhere.
      ...((config.account ?? config.region) !== undefined && {
        env: {
          ...(config.account !== undefined && { account: config.account }),
          ...(config.region !== undefined && { region: config.region }),
        },
      }),
    })
    // In an app without a named region only `cdk synth` knows it (bin/app.ts).
    if (!Token.isUnresolved(this.region)) {
      const refusals = findRegionProblems(config, this.region)
      if (refusals.length > 0) throw new ConfigError(refusals.join('\n'))
    }

    const storage = new Storage(this, 'Storage', config)
    const { bucket, table, emailKey } = storage
    const events = new EventStream(this, 'Stream', config)
    const { stream } = events
    const jobQueue = new JobQueue(this, 'JobQueue', {
      config,
      jobTimeout: Duration.seconds(functionSize('jobs', config).timeoutSeconds),
    })
    const catalog = new Catalog(this, 'Catalog', {
      bucket,
      firstEpoch: config.firstEpoch,
      maxScanGb: config.maxScanGb,
      keyArn: config.keyArn,
    })

    // The API comes before its functions, because they need the address of CloudFront in front of it.
    const api = new Api(this, 'Api', {
      config,
      streamRecordsPerSecond: events.recordsPerSecond,
      requests: shares.requests,
    })
    const entries = (Object.keys(functions) as FunctionName[]).map(name => [
      name,
      new ServiceFunction(this, name, {
        name,
        folder: folders[name],
        config,
        ...(name === 'track' && { reserved: shares.track }),
      }),
    ])
    const serviceFunctions: Record<FunctionName, ServiceFunction> = Object.fromEntries(entries)
    const { track, reports, stream: streaming, control, auth, site, pages, mcp, replay } = serviceFunctions
    const { lake, live, jobs, scan, restore, scheduler, owner } = serviceFunctions
    // Without it the function stays and nobody can call it, so that the option is one deployment in both
    // directions.
    const streamUrl = config.streams
      ? new FunctionUrl(this, 'Streaming', {
          function: streaming.lambda,
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        })
      : null
    const rollout = config.rollout === 'canary' ? new Rollout(this, 'Rollout', track) : null
    const calledTrack = rollout?.alias ?? track.lambda
    const trackUrl =
      config.ingestion === 'api'
        ? null
        : new FunctionUrl(this, 'Ingestion', {
            function: calledTrack,
            authType: FunctionUrlAuthType.NONE,
          })
    const edgeKeys = config.edge ? new EdgeKeys(this, 'EdgeKeys', config) : null
    const edge =
      edgeKeys &&
      new Edge(this, 'Edge', { apiHost: api.host, streamUrl, trackUrl, key: edgeKeys.sent, config })
    const baseUrl = edge?.baseUrl ?? `https://${api.host}`
    this.baseUrl = baseUrl
    for (const each of [track, reports, streaming, control, auth, site, pages, mcp, replay])
      each.set('EDGE_KEY', edgeKeys?.accepted ?? '')

    // It reads projects, credentials and caps, and notes when an agent session was used.
    track
      .bindTable(table, ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query'])
      .bindStreamWriter(stream)
      .bindPlans(config)
      .bindEmailKey(emailKey)
      .set('COUNTRY_HEADER', edge ? COUNTRY_HEADER_SEEN : '')
    // They list the links files before a statement reads them, write tombstones, and leave lists of erased
    // ids to the jobs. MCP answers the reads and changes of reports and control itself, so it has the rights
    // of both.
    for (const reader of [reports, mcp]) {
      reader
        .bindTable(table, [...READ_AND_WRITE, 'BatchGetItem', 'Query', 'DeleteItem'])
        .bindCatalog(catalog, bucket, config)
        .bindLake(bucket, {
          list: [REPLAY_PREFIX],
          get: [MANIFESTS],
          put: [LINKS, MANIFESTS, TOMBSTONES],
          delete: [REPLAY_PREFIX],
        })
        .bindEmailKey(emailKey)
        .bindPlans(config)
        .set('BASE_URL', baseUrl)
    }
    mcp.bindFeedback(config).bindJobQueue(jobQueue.queue)
    // It has no setting for the address of the service: CloudFront needs the function's address first.
    streaming.bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem']).bindPlans(config)
    control
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem'])
      .bindPlans(config)
      .bindFeedback(config)
      // Receipts of erasures say what the manifests say. It signs the addresses of files of exports.
      .bindLake(bucket, { get: [MANIFESTS, EXPORT_PREFIX], delete: [EXPORT_PREFIX] })
      // Website analyses and exports run in the jobs function.
      .bindJobQueue(jobQueue.queue)
      .set('BASE_URL', baseUrl)
    auth
      .set('COUNTRY_HEADER', edge ? COUNTRY_HEADER_SEEN : '')
      .bindTable(table, [...READ_AND_WRITE, 'BatchGetItem', 'Query', 'DeleteItem'])
      .bindPlans(config)
      .set('BASE_URL', baseUrl)
    replay
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem'])
      .bindLake(bucket, {
        list: [REPLAY_PREFIX],
        get: [REPLAY_PREFIX],
        put: [REPLAY_PREFIX],
        delete: [REPLAY_PREFIX],
      })
      .bindPlans(config)
      .set('BASE_URL', baseUrl)
    site.set('BASE_URL', baseUrl)
    pages
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem'])
      .bindAccess(config)
      .set('BASE_URL', baseUrl)
    lake
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem'])
      .bindStreamReader(stream)
      // Records that an older version has set aside are appended again.
      .bindStreamWriter(stream)
      .bindLake(bucket, {
        list: [HOT, ...SET_ASIDE],
        get: [HOT, ...SET_ASIDE],
        put: [HOT, IDENTITY, ...SET_ASIDE],
        delete: SET_ASIDE,
      })
    live.bindTable(table, ['BatchWriteItem']).bindStreamMapping(stream).bindPlans(config)
    jobs
      // It folds identities. It looks through the whole table if a links file is lost, or a file of
      // tombstones of many projects.
      .bindTable(table, [
        ...READ_AND_WRITE,
        ...(['Query', 'BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'Scan'] as const),
      ])
      .bindLake(bucket, {
        list: [HOT, LINKS, IDENTITY, MANIFESTS, TOMBSTONES, TRAITS, EXPORT_PREFIX, ...SEGMENTS],
        get: [HOT, LINKS, IDENTITY, MANIFESTS, TOMBSTONES, EXPORT_PREFIX, ...SEGMENTS],
        put: [HOT, LINKS, MANIFESTS, TOMBSTONES, TRAITS, EXPORT_PREFIX, ...SEGMENTS],
        // Its sweeps delete what nobody needs any more.
        delete: [HOT, LINKS, IDENTITY, MANIFESTS, TOMBSTONES, TRAITS, EXPORT_PREFIX, ...SEGMENTS],
      })
      // A long export goes on in another job.
      .bindJobQueue(jobQueue.queue)
      .bindPlans(config)
      .set('COMPACTION_MEMORY_MB', String(COMPACTION_MEMORY_MB))
      // Pages of strangers are read by a function that has no right but to write its log.
      .bindAnalyses(scan, config)
    scan.set('BASE_URL', baseUrl)
    // It finishes claims as the consumer does, looks into segments as a worker does, writes missing files of
    // tombstones as a worker does, and asks the fold to erase persons again.
    restore
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'DeleteItem', 'Scan'])
      .bindStreamReader(stream)
      .bindLake(bucket, {
        list: [HOT, LINKS, MANIFESTS, TOMBSTONES, ...SEGMENTS, ...SET_ASIDE],
        get: [HOT, MANIFESTS, TOMBSTONES, ...SEGMENTS, ...SET_ASIDE],
        put: [HOT, IDENTITY, LINKS, MANIFESTS, TOMBSTONES, ...SET_ASIDE],
      })
      .set('COMPACTION_MEMORY_MB', String(COMPACTION_MEMORY_MB))
    scheduler
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'BatchGetItem', 'BatchWriteItem', 'DeleteItem'])
      // What is set aside may have events of erased persons.
      .bindLake(bucket, {
        list: [HOT, IDENTITY, ...SET_ASIDE, FAILURES_PREFIX, REPLAY_PREFIX, EXPORT_PREFIX],
        get: [MANIFESTS],
        // Tombstones of deleted projects, and of expired events.
        put: [MANIFESTS, TOMBSTONES],
        // Replays of projects that keep them for fewer than 30 days; exports after a week, or after an
        // erasure.
        delete: [REPLAY_PREFIX, EXPORT_PREFIX],
      })
      .bindJobQueue(jobQueue.queue)
      .bindStreamRetention(stream, config)
      .bindPlans(config)
      .bindPayments(config)
      .set('EPOCH_MINUTES', String(config.epochMinutes))
    owner
      .bindTable(table, [...READ_AND_WRITE, 'Query', 'DeleteItem'])
      .bindStreamWriter(stream)
      .set('BASE_URL', baseUrl)

    api.addRoutes({ track: { lambda: calledTrack }, reports, control, auth, site, pages, mcp, replay })
    const lakeMapping = feedFromStream(lake, events, storage)
    feedLive(live, events)
    // An update replaces the consumer first, so that it can read records of a new format when they arrive.
    track.lambda.node.addDependency(lake.lambda, live.lambda)
    feedFromQueue(jobs, jobQueue, shares.jobs)
    const clock = new MinuteSchedule(this, 'Clock', scheduler, config)

    const metrics = createMetrics({
      namespace: config.stackName,
      functions: serviceFunctions,
      stream,
      lakeMapping,
      api,
      workgroup: catalog.name,
      trackByUrl: trackUrl !== null,
    })
    const { alarms } = new Alarms(this, 'Alarms', {
      config,
      metrics,
      queues: { jobs: jobQueue.deadLetters, clock: clock.deadLetters },
      jobQueue: jobQueue.queue,
      table,
      // CloudFront takes minutes, and neither the mapping nor the clock waits for it.
      after: [lakeMapping, clock, ...(edge === null ? [] : [edge.distribution])],
    })
    rollout?.watch(alarms.filter(({ node }) => node.id.startsWith('Rollout')))
    if (config.dashboard) {
      // An account has one set of dashboards for all regions. The region in the name separates stacks of the
      // same name.
      const name = `${config.stackName}-${this.region}`
      new HealthDashboard(this, 'Health', { name, metrics, alarms, jobs: jobQueue.queue })
    }
    if (config.alarmEmail !== undefined && config.monthlyBudgetUsd !== undefined)
      createBudget(this, 'Budget', { ...config, usd: config.monthlyBudgetUsd, email: config.alarmEmail })
    if ((config.alarmEmail ?? config.alarmTopicArn) === undefined)
      Annotations.of(this).addWarningV2('footfall:no-alarm-address', NO_ADDRESS)

    createOutputs(this, { baseUrl, edge, streamUrl, owner, restore, storage, events })
  }
}
