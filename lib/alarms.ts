import { Duration, Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { type FunctionName, functions } from '#schemas/functions'
import { FIRST_EPOCH, LAST_EPOCH } from '#schemas/hive-tables'
import type { Config } from './config.ts'
import type { Metrics } from './metrics.ts'

/** What a person is called for. docs/operations.md tells under each name what to do. */
type Watch = {
  metric: IMetric
  /** The alarm sounds above this figure, or, where no figure means that what measures has stopped, below it. */
  above?: number
  below?: number
  /** Periods of the metric that must be bad, of so many that are looked at; 1 of 1 by default. */
  bad?: [number, number]
  says: string
}

export type AlarmsProps = {
  config: Config
  metrics: Metrics
  /** Queues in which nothing should wait. */
  waiting: { jobs: Queue; clock: Queue; batches: Queue }
}

/** Two periods of three: what mends itself within minutes calls nobody. */
const LASTING: [number, number] = [2, 3]

/** The alarms. They are told to an e-mail address or a topic where the options name one, and seen in the console always. */
export class Alarms extends Construct {
  readonly alarms: Alarm[]

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id)
    const topic = this.topic(props.config)
    this.alarms = Object.entries(watches(props)).map(([name, watch]) => this.alarm(name, watch, topic))
  }

  private alarm(
    name: string,
    { metric, above, below, bad: [bad, of] = [1, 1], says }: Watch,
    topic: ITopic | null,
  ) {
    const alarm = new Alarm(this, name, {
      alarmDescription: `${says} See docs/operations.md, ${name}.`,
      metric,
      threshold: below ?? above ?? 0,
      comparisonOperator:
        below === undefined
          ? ComparisonOperator.GREATER_THAN_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: below === undefined ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
      datapointsToAlarm: bad,
      evaluationPeriods: of,
    })
    if (topic !== null) {
      alarm.addAlarmAction(new SnsAction(topic))
      alarm.addOkAction(new SnsAction(topic))
    }
    return alarm
  }

  /**
   * Not encrypted with the key of AWS for SNS, which alarms may not use; what is sent is the alarm's text. The policy that
   * demands TLS takes the place of SNS's own, by which alarms of the account may publish: that has to be said again.
   */
  private topic({ alarmEmail, alarmTopicArn }: Config): ITopic | null {
    if (alarmTopicArn !== undefined) return Topic.fromTopicArn(this, 'Topic', alarmTopicArn)
    if (alarmEmail === undefined) return null
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    const ofAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofAccount }))
    topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

function watches({ config, metrics, waiting }: AlarmsProps): Record<string, Watch> {
  const names = Object.keys(functions) as FunctionName[]
  const retentionMs = config.retentionHours * 3_600_000
  return {
    IteratorAge: {
      metric: metrics.iteratorAge(),
      above: retentionMs / 8,
      says: `The lake consumer is behind; after ${config.retentionHours} h the stream forgets what it has not taken.`,
    },
    // When `live` reads the stream too, its reads count as well: then this needs another figure, of lake alone.
    StreamUnread: {
      metric: metrics.streamReads(Duration.minutes(15)),
      below: 1,
      says: `Nobody has read the stream for a quarter of an hour: after ${config.retentionHours} h it forgets events.`,
    },
    ClaimAge: {
      metric: metrics.gauge('ClaimAgeSeconds'),
      above: 1_800,
      says: 'A range of a shard is claimed for half an hour and not in the lake: the shard stands still.',
    },
    CompactionLag: {
      metric: metrics.gauge('CompactionLagSeconds'),
      above: 3_600,
      says: 'An epoch is closed for an hour and not compacted: reads become slower and dearer.',
    },
    LastEpoch: {
      metric: metrics.gauge('Epoch'),
      above: Math.floor(LAST_EPOCH - (LAST_EPOCH - FIRST_EPOCH) * 0.1),
      says: 'The catalog knows few epochs beyond the newest: events of later ones would not be read.',
    },
    MaintenanceStopped: {
      metric: metrics.calls('scheduler', Duration.minutes(15)),
      below: 1,
      says: 'The scheduler function was not called for a quarter of an hour.',
    },
    JobDeadLetters: {
      metric: metrics.waiting(waiting.jobs),
      above: 0,
      says: 'A job of the lake has failed again and again.',
    },
    ClockDeadLetters: {
      metric: metrics.waiting(waiting.clock),
      above: 0,
      says: 'The schedule may not call the scheduler function.',
    },
    FailedBatches: {
      metric: metrics.waiting(waiting.batches),
      above: 0,
      says: 'Lambda has given up a batch of the stream and put it under aws/lambda/ in the bucket.',
    },
    RecordsQuarantined: {
      metric: metrics.code('RECORD_QUARANTINED', 'lake'),
      above: 0,
      says: 'A record of the stream could not be read and is under quarantine/ in the bucket.',
    },
    RecordsMissing: {
      metric: metrics.code('RECORDS_MISSING', 'lake'),
      above: 0,
      says: 'Records that were claimed are no longer in the stream: events are lost.',
    },
    ObjectDamaged: {
      metric: metrics.code('LAKE_OBJECT_DAMAGED', 'jobs'),
      above: 0,
      says: 'An object of the lake could not be read.',
    },
    StreamUnavailable: {
      metric: metrics.code('STREAM_UNAVAILABLE', 'track'),
      above: 0,
      bad: LASTING,
      says: 'Events are refused with 503: the stream took none within the deadline.',
    },
    StreamThrottled: {
      metric: metrics.refused(),
      above: 0,
      bad: [3, 3],
      says: 'The stream refuses records, which are sent again: it is too small for what comes in.',
    },
    RequestsRefused: {
      metric: metrics.requestsRefused(),
      above: 0,
      bad: LASTING,
      says: 'The API refuses requests with its own 429: more come in than it lets through. Browsers do not send again.',
    },
    ServerErrors: {
      metric: metrics.serverErrors(),
      above: 5,
      bad: LASTING,
      says: 'The API answers requests with 5xx.',
    },
    ...Object.fromEntries(
      Object.entries(metrics.scanned(Duration.days(1))).map(([state, metric]): [string, Watch] => [
        `AthenaScan-${state}`,
        {
          metric,
          above: config.dailyScanGb * 1e9,
          says: `Statements that ended ${state} have read more than ${config.dailyScanGb} GB within a day ($5 a TB).`,
        },
      ]),
    ),
    ...Object.fromEntries(
      names.flatMap((name): [string, Watch][] => [
        [
          `Errors-${name}`,
          { metric: metrics.errors(name), above: 0, bad: LASTING, says: `The function ${name} fails.` },
        ],
        [
          `Throttles-${name}`,
          {
            metric: metrics.throttles(name),
            above: 0,
            bad: LASTING,
            says: `The function ${name} is refused a place: the account's concurrent executions are used up.`,
          },
        ],
      ]),
    ),
  }
}
