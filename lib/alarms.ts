import { Duration, Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct, type IDependable } from 'constructs'
import type { FunctionName } from '#schemas/functions'
import { CATALOG_EPOCHS } from '#schemas/hive-tables'
import { MANIFEST_BYTES } from '#schemas/manifests'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'
import type { Metrics } from './metrics.ts'

/** One alarm. docs/alarms.md has a section for each name, which says what to do. */
type AlarmSpec = {
  metric: IMetric
  /** The alarm sounds above this value. Missing data is fine. */
  above?: number
  /**
   * The alarm sounds below this value. Missing data also sounds it, because the source of the metric has
   * stopped.
   */
  below?: number
  /** How many of the last periods must be over the threshold: [2, 3] is 2 of 3. The default is 1 of 1. */
  breaching?: [number, number]
  /**
   * Another alarm sounds later for the same cause. Such an alarm is only created if somebody gets it, because
   * each costs 10 cents a month.
   */
  early?: boolean
  /** Whole sentences for the person who gets the alarm: what is wrong, and what follows. */
  meaning: string
}

export type AlarmsProps = {
  config: Config
  metrics: Metrics
  /** Queues that should be empty. */
  queues: { jobs: Queue; clock: Queue }
  /** The queue of the lake's jobs. */
  jobQueue: Queue
  table: Table
  /**
   * An alarm that takes missing data for a fault is created after these. They give its metric the time for
   * first values, so that it does not sound in the first deployment.
   */
  after: IDependable[]
}

/**
 * The functions that no HTTP request calls. A failed call of most other functions is a 5xx response
 * (ServerErrors).
 */
const EVENT_FUNCTIONS = [
  'lake',
  'live',
  'jobs',
  'scheduler',
  'restore',
  'owner',
  'scan',
] as const satisfies FunctionName[]
/**
 * HTTP functions whose failures are too few for ServerErrors, or are no responses of the API: streams have a
 * URL of their own, and a broken sign-in is a handful of requests a day.
 */
const RARE_FUNCTIONS = ['stream', 'auth', 'pages'] as const satisfies FunctionName[]

/**
 * Functions whose failures show elsewhere too: a job that fails becomes a dead letter, who calls `owner` or
 * `restore` sees its error, and an analysis whose pages cannot be read has failed.
 */
const COVERED_FUNCTIONS: ReadonlySet<FunctionName> = new Set(['jobs', 'owner', 'restore', 'scan'])

/** A statement is stopped after 25 s (lib/function-sizes.ts). */
const SLOW_STATEMENT_MS = 15_000

/** What a statement costs at least (aws/athena-price.ts). */
const LEAST_BILLED_BYTES = 10_000_000

/** The page of the alarms, for people who have the repository. */
const PAGE = 'docs/alarms.md'

const MINUTE = Duration.minutes(1)

/** Two of three periods, so that a short spike calls nobody. */
const TWO_OF_THREE: [number, number] = [2, 3]

/**
 * All alarms. They go to the e-mail address or topic of the options; without one, or with earlyAlarms=false,
 * there are no early ones. Without one the others show in the console only.
 */
export class Alarms extends Construct {
  readonly alarms: Alarm[]

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id)
    const topic = this.createTopic(props.config)
    const hasEarly = topic !== null && props.config.earlyAlarms
    const specs = Object.entries(alarmSpecs(props)).filter(([, { early }]) => hasEarly || !early)
    this.alarms = specs.map(([name, spec]) => {
      const alarm = this.createAlarm(name, spec, { topic, page: props.config.runbookUrl ?? PAGE })
      if (spec.below !== undefined) alarm.node.addDependency(...props.after)
      return alarm
    })
  }

  private createAlarm(
    name: string,
    { metric, above, below, breaching: [breaching, periods] = [1, 1], meaning }: AlarmSpec,
    { topic, page }: { topic: ITopic | null; page: string },
  ) {
    const alarm = new Alarm(this, name, {
      alarmDescription: `${meaning} See ${page}#${sectionOf(name)}.`,
      metric,
      threshold: below ?? above ?? 0,
      comparisonOperator:
        below === undefined
          ? ComparisonOperator.GREATER_THAN_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: below === undefined ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
      datapointsToAlarm: breaching,
      evaluationPeriods: periods,
    })
    if (topic !== null) {
      alarm.addAlarmAction(new SnsAction(topic))
      alarm.addOkAction(new SnsAction(topic))
    }
    return alarm
  }

  /**
   * The topic that alarms publish to, or null without an option for it. Without keyArn it is not encrypted:
   * alarms may not use Amazon's own key for SNS, and a message holds only the text of the alarm. `enforceSSL`
   * replaces the default policy of SNS, which lets alarms of the account publish, so this grants that right
   * again.
   */
  private createTopic(config: Config): ITopic | null {
    const { alarmEmail, alarmTopicArn } = config
    if (alarmTopicArn !== undefined) return Topic.fromTopicArn(this, 'Topic', alarmTopicArn)
    if (alarmEmail === undefined) return null
    const masterKey = dataKey(this, config)
    const topic = new Topic(this, 'Topic', { enforceSSL: true, ...(masterKey && { masterKey }) })
    const sameAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: sameAccount }))
    topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

/** The section of docs/alarms.md. Alarms of the same kind share one. */
function sectionOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(servererrors)-.*/, '$1')
    .replace(/^(rollout|throttles)-.*/, '$1')
    .replace(/^(errors)-.*/, '$1-function')
    .replace(/^(athenascan)-.*/, '$1-state')
    .replace(/^(tablethrottled)-.*/, '$1-requests')
}

function alarmSpecs({ config, metrics, queues, jobQueue, table }: AlarmsProps): Record<string, AlarmSpec> {
  const retentionMs = config.retentionHours * 3_600_000
  return {
    IteratorAge: {
      metric: metrics.iteratorAge(),
      above: retentionMs / 8,
      meaning: `The lake consumer is behind. The stream deletes records after ${config.retentionHours} h, also unread ones.`,
    },
    LakeFailing: {
      metric: metrics.code('LAKE_BATCH_FAILED', 'lake', MINUTE),
      above: 0,
      breaching: [3, 5],
      meaning: `The lake consumer fails. Its events wait in the stream, which deletes them after ${config.retentionHours} h.`,
    },
    LiveBehind: {
      metric: metrics.liveAge(),
      above: 10_000,
      breaching: TWO_OF_THREE,
      meaning:
        'The live consumer is over 10 s behind. Records over a minute old are missing in /live and /stream.',
    },
    StreamUnread: {
      metric: metrics.lakePolls(Duration.minutes(15)),
      below: 1,
      meaning: `The lake consumer has not read the stream for 15 minutes. The stream deletes events after ${config.retentionHours} h.`,
    },
    ClaimAge: {
      metric: metrics.gauge('ClaimAgeSeconds'),
      above: 1_800,
      early: true,
      meaning: 'A claim has been open for 30 minutes, so its shard is stuck.',
    },
    CompactionLag: {
      metric: metrics.gauge('CompactionLagSeconds'),
      above: 3_600,
      meaning:
        'An epoch was closed an hour ago and a bucket has not compacted it. Reads of its projects become slower and cost more.',
    },
    ManifestSize: {
      metric: metrics.gauge('ManifestBytes'),
      above: MANIFEST_BYTES * 0.6,
      meaning:
        'The manifest of a bucket is larger than planned. Each change and each read of it becomes slower.',
    },
    LastEpoch: {
      metric: metrics.gauge('Epoch'),
      above: config.firstEpoch + Math.floor(CATALOG_EPOCHS * 0.9),
      meaning: 'The catalog has few epochs left. Reports will miss events of later epochs.',
    },
    MaintenanceStopped: {
      metric: metrics.invocations('scheduler', Duration.minutes(15)),
      below: 1,
      meaning: 'Nobody has called the scheduler function for 15 minutes.',
    },
    MaintenanceFailing: {
      metric: metrics.code('JOB_FAILED', 'scheduler', Duration.hours(1)),
      above: 2,
      meaning: 'A task of the maintenance has failed three times in an hour. The others go on.',
    },
    JobsFailing: {
      metric: metrics.code('JOB_FAILED', 'jobs'),
      above: 0,
      // SQS delivers a failed job again after 16 minutes.
      breaching: [3, 12],
      early: true,
      meaning: 'Jobs of the lake fail, and are tried again.',
    },
    MemoryNearlyFull: {
      metric: metrics.nearlyFull(),
      above: 0,
      early: true,
      meaning: 'A job has used over 90 % of the memory of its function. The next one may fail.',
    },
    JobDeadLetters: {
      metric: metrics.visibleMessages(queues.jobs),
      above: 0,
      meaning: 'A job of the lake has failed too often.',
    },
    ClockDeadLetters: {
      metric: metrics.visibleMessages(queues.clock),
      above: 0,
      early: true,
      meaning: 'The schedule has no right to call the scheduler function.',
    },
    FailedBatches: {
      metric: metrics.failedBatches(),
      above: 0,
      meaning: 'Lambda has given up a batch of the stream. The batch is under aws/lambda/ in the S3 bucket.',
    },
    RecordsQuarantined: {
      metric: metrics.code('RECORD_QUARANTINED', 'lake'),
      above: 0,
      meaning: 'A record of the stream could not be read. It is under quarantine/ in the S3 bucket.',
    },
    RecordsMissing: {
      metric: metrics.code('RECORDS_MISSING', 'lake'),
      above: 0,
      meaning: 'The stream no longer has the records of a claim. Their events are lost.',
    },
    ObjectDamaged: {
      metric: metrics.code('LAKE_OBJECT_DAMAGED', 'jobs'),
      above: 0,
      meaning: 'An object of the lake could not be read.',
    },
    StreamUnavailable: {
      metric: metrics.code('STREAM_UNAVAILABLE', 'track'),
      above: 0,
      breaching: TWO_OF_THREE,
      early: true,
      meaning: 'Requests with events get 503, because the stream took no record within the deadline.',
    },
    StreamThrottled: {
      metric: metrics.throttledRecords(),
      above: 0,
      breaching: [3, 3],
      meaning: 'The stream is too small: it refuses records, and the service has to send them again.',
    },
    ReadsThrottled: {
      metric: metrics.throttledReads(),
      above: 0,
      breaching: [3, 3],
      early: true,
      meaning: 'The two consumers read more than the stream gives. Reports and live reads fall behind.',
    },
    RequestsRefused: {
      metric: metrics.throttledRequests(),
      above: 0,
      breaching: TWO_OF_THREE,
      meaning:
        'The gateway answers 429, because more requests come in than its limit. Browsers do not send them again.',
    },
    ServerErrors: {
      metric: metrics.serverErrors(),
      above: 5,
      breaching: TWO_OF_THREE,
      meaning: 'The API answers requests with 5xx.',
    },
    ...(metrics.ingestion && {
      'ServerErrors-track': {
        metric: metrics.ingestion.serverErrors(),
        above: 5,
        breaching: TWO_OF_THREE,
        meaning: 'The function that takes events answers requests with 5xx.',
      },
    }),
    ...(config.rollout === 'canary' && rolloutAlarms(metrics)),
    ...Object.fromEntries(
      Object.entries(metrics.scannedBytes(Duration.days(1))).map(([state, metric]): [string, AlarmSpec] => [
        `AthenaScan-${state}`,
        {
          metric,
          above: config.dailyScanGb * 1e9,
          // AthenaFailures sounds for failed ones.
          early: state === 'FAILED',
          meaning: `Athena statements that ended in state ${state} have read over ${config.dailyScanGb} GB in a day ($5 a TB).`,
        },
      ]),
    ),
    AthenaStatements: {
      metric: metrics.statements(Duration.days(1)),
      above: (config.dailyScanGb * 1e9) / LEAST_BILLED_BYTES,
      meaning: `Athena bills a statement as 10 MB at least, and those of a day cost as much as ${config.dailyScanGb} GB ($5 a TB).`,
    },
    ...Object.fromEntries(
      [...EVENT_FUNCTIONS, ...RARE_FUNCTIONS].map((name): [string, AlarmSpec] => [
        `Errors-${name}`,
        {
          metric: metrics.errors(name),
          above: 0,
          breaching: TWO_OF_THREE,
          early: COVERED_FUNCTIONS.has(name),
          meaning: `The function ${name} fails.`,
        },
      ]),
    ),
    AthenaFailures: {
      metric: metrics.failedStatements(),
      above: 2,
      breaching: TWO_OF_THREE,
      meaning: 'Athena statements fail, so reports answer 503.',
    },
    AthenaSlow: {
      metric: metrics.statementTime(),
      above: SLOW_STATEMENT_MS,
      breaching: [3, 3],
      early: true,
      meaning: 'A tenth of the Athena statements takes over 15 s. Reports answer 503 after 25 s.',
    },
    ...Object.fromEntries(
      Object.entries(metrics.tableThrottles(table)).map(([requests, metric]): [string, AlarmSpec] => [
        `TableThrottled-${requests}`,
        {
          metric,
          above: 0,
          breaching: TWO_OF_THREE,
          early: true,
          meaning: `The state table refuses ${requests}, and the functions have to try again.`,
        },
      ]),
    ),
    JobsLate: {
      metric: metrics.oldestMessage(jobQueue),
      above: 3_600,
      breaching: TWO_OF_THREE,
      early: true,
      meaning: 'A job of the lake has waited for an hour: there are too few workers.',
    },
    DailyRequests: {
      metric: (metrics.ingestion ?? metrics).requests(Duration.days(1)),
      above: config.expectedRequestsPerDay,
      meaning: `More than ${config.expectedRequestsPerDay} requests came in a day, and each costs money.`,
    },
    ...(config.silenceHours !== undefined && {
      Silence: {
        metric: metrics.recordsIn(Duration.hours(1)),
        below: 1,
        breaching: [config.silenceHours, config.silenceHours] as [number, number],
        meaning: `No event has come for ${config.silenceHours} h.`,
      },
    }),
    Throttles: {
      metric: metrics.accountThrottles(),
      above: 0,
      breaching: TWO_OF_THREE,
      meaning: 'Calls of functions are throttled: the account has no concurrent executions left.',
    },
    'Throttles-track': {
      metric: metrics.throttles('track'),
      above: 0,
      meaning: 'The function that takes events is throttled, so requests with events are refused.',
    },
  }
}

/**
 * What takes back a new version of `track` (lib/rollout.ts). They see each minute, because the new version
 * gets all calls after ten.
 */
function rolloutAlarms(metrics: Metrics): Record<string, AlarmSpec> {
  return {
    'Rollout-Errors': {
      metric: metrics.errors('track', MINUTE),
      above: 0,
      meaning: 'The function that takes events fails. A rollout that is under way is taken back.',
    },
    'Rollout-ServerErrors': {
      metric: (metrics.ingestion ?? metrics).serverErrors(MINUTE),
      above: 5,
      meaning: 'Requests are answered with 5xx. A rollout that is under way is taken back.',
    },
  }
}
