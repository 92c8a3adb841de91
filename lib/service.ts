import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { type FunctionName, functions } from '#schemas/functions'
import { Alarms } from './alarms.ts'
import { Api } from './api.ts'
import { monthlyBudget } from './budget.ts'
import { Catalog } from './catalog.ts'
import type { Config } from './config.ts'
import { COUNTRY_HEADER_SEEN, Edge } from './edge.ts'
import { feedFromQueue, feedFromStream } from './event-sources.ts'
import { ServiceFunction, type TableAction } from './function.ts'
import { COMPACTION_MEMORY_MB, functionSizes } from './function-sizes.ts'
import { HealthDashboard } from './health-dashboard.ts'
import { JobQueue } from './job-queue.ts'
import { createMetrics } from './metrics.ts'
import { MinuteSchedule } from './schedule.ts'
import { QUARANTINE_PREFIX, Storage } from './storage.ts'
import { EventStream } from './stream.ts'

export type ServiceProps = {
  config: Config
  /** Folder of each function's bundle. */
  folders: Record<FunctionName, string>
}

const [hot, warm, cold, sessions, activity] = (
  ['events_hot', 'events_warm', 'events_cold', 'sessions_cold', 'activity_cold'] as const
).map(name => `${tables[name].prefix}/`) as [string, string, string, string, string]

/** Makes and changes items; only accounts and projects are ever deleted. */
const CHANGE: TableAction[] = ['GetItem', 'PutItem', 'UpdateItem']

/**
 * The whole of Footfall in one stack, for any account and region of the partition `aws`: in China and GovCloud CloudFront
 * and its certificates are others, or not there.
 */
export class Service extends Stack {
  constructor(scope: Construct, id: string, { config, folders }: ServiceProps) {
    super(scope, id, {
      stackName: config.stackName,
      description: 'Footfall: web analytics that agents can query',
    })

    const storage = new Storage(this, 'Storage')
    const { bucket, table } = storage
    const events = new EventStream(this, 'Stream', config)
    const { stream } = events
    const jobQueue = new JobQueue(this, 'JobQueue', {
      jobTimeout: Duration.seconds(functionSizes.jobs.timeoutSeconds),
    })
    const catalog = new Catalog(this, 'Catalog', { bucket, maxScanGb: config.maxScanGb })

    // The API comes before its functions: they are told its address, which is CloudFront's.
    const api = new Api(this, 'Api', { config, streamRecordsPerSecond: events.recordsPerSecond })
    const { distribution, baseUrl } = new Edge(this, 'Edge', { apiHost: api.host, config })

    const made = (Object.keys(functions) as FunctionName[]).map(name => [
      name,
      new ServiceFunction(this, name, { name, folder: folders[name], config }),
    ])
    const all: Record<FunctionName, ServiceFunction> = Object.fromEntries(made)
    const { track, reports, control, site, lake, jobs, scheduler, owner } = all

    track.bindTable(table, ['GetItem']).bindStreamWriter(stream).set('COUNTRY_HEADER', COUNTRY_HEADER_SEEN)
    reports
      .bindTable(table, [...CHANGE, 'Query'])
      .bindCatalog(catalog, bucket)
      .set('BASE_URL', baseUrl)
    control.bindTable(table, [...CHANGE, 'Query', 'BatchGetItem', 'DeleteItem']).set('BASE_URL', baseUrl)
    site.set('BASE_URL', baseUrl)
    lake
      .bindTable(table, [...CHANGE, 'Query'])
      .bindStreamReader(stream)
      .bindLake(bucket, { list: [hot], get: [hot], put: [hot, QUARANTINE_PREFIX] })
    jobs
      .bindTable(table, CHANGE)
      .bindLake(bucket, { list: [hot, warm], get: [hot, warm], put: [warm, cold, sessions, activity] })
      .set('COMPACTION_MEMORY_MB', String(COMPACTION_MEMORY_MB))
    scheduler
      .bindTable(table, [...CHANGE, 'Query'])
      .bindLake(bucket, { list: [hot, warm, cold], delete: [hot, warm] })
      .bindJobQueue(jobQueue.queue)
      .set('EPOCH_MINUTES', String(config.epochMinutes))
    owner.bindTable(table, [...CHANGE, 'Query', 'DeleteItem']).set('BASE_URL', baseUrl)
    // `live`, the other consumer of the stream, and its functions join here.

    api.route({ track, reports, control, site })
    feedFromStream(lake, events, storage)
    feedFromQueue(jobs, jobQueue, config.jobConcurrency)
    const clock = new MinuteSchedule(this, 'Clock', scheduler)

    const metrics = createMetrics({
      namespace: config.stackName,
      functions: all,
      stream,
      api,
      workgroup: catalog.name,
    })
    const { alarms } = new Alarms(this, 'Alarms', {
      config,
      metrics,
      waiting: { jobs: jobQueue.deadLetters, clock: clock.deadLetters, batches: storage.failures.queue },
    })
    // Dashboards are of the account, not of a region: without it a stack elsewhere would take this one's.
    const name = `${config.stackName}-${this.region}`
    new HealthDashboard(this, 'Health', { name, metrics, alarms, jobs: jobQueue.queue })
    if (config.monthlyBudgetUsd !== undefined && config.alarmEmail !== undefined) {
      monthlyBudget(this, 'Budget', config.monthlyBudgetUsd, config.alarmEmail)
    }

    this.tell('BaseUrl', baseUrl, 'Address of the service')
    this.tell(
      'CloudFrontName',
      distribution.distributionDomainName,
      'Where the name of a custom domain points',
    )
    this.tell(
      'MakeOwner',
      `aws lambda invoke --region ${this.region} --function-name ${owner.lambda.functionName} /dev/stdout`,
      "Makes the owner's account, an API key and a first project, and prints them; they stand nowhere else",
    )
    this.tell('BucketName', bucket.bucketName, 'Bucket of the lake')
    this.tell('TableName', table.tableName, 'State table')
    this.tell('StreamName', stream.streamName, 'Event stream')
  }

  private tell(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description })
  }
}
