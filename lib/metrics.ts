import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Stream } from 'aws-cdk-lib/aws-kinesis'
import { FilterPattern } from 'aws-cdk-lib/aws-logs'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { FunctionName } from '#schemas/functions'
import type { countedCodes, Gauge } from '#schemas/log'
import type { Api } from './api.ts'
import type { ServiceFunction } from './function.ts'

export type Measured = {
  /** POWERTOOLS_METRICS_NAMESPACE of the functions. */
  namespace: string
  functions: Record<FunctionName, ServiceFunction>
  stream: Stream
  api: Api
  workgroup: string
}

/** Which figure of CloudWatch is meant, in one place for the alarms and the dashboard, which gives them their labels. */
export type Metrics = ReturnType<typeof createMetrics>

const FIVE_MINUTES = Duration.minutes(5)
const SUM = { statistic: Stats.SUM, period: FIVE_MINUTES }
const MAXIMUM = { statistic: Stats.MAXIMUM, period: FIVE_MINUTES }
const percentile = (percent: number) => ({ statistic: Stats.p(percent), period: FIVE_MINUTES })

/**
 * Requests that the gateway has answered with its own 429: no function was called. Only the log tells them from those
 * of a function, and from other 4xx. Its fields are what lib/api.ts logs.
 */
const REFUSED = FilterPattern.all(
  FilterPattern.stringValue('$.status', '=', '429'),
  FilterPattern.stringValue('$.functionStatus', '!=', '200'),
)

/**
 * How a statement ends. Athena's API says CANCELLED, the list of its metrics CANCELED: as nobody here has seen one, both
 * are looked for, and the one that there is not counts nothing.
 */
const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'CANCELED']

export function createMetrics({ namespace, functions, stream, api, workgroup }: Measured) {
  const { http } = api
  const refused = api.log.addMetricFilter('Refused', {
    metricNamespace: namespace,
    metricName: 'RequestsRefused',
    filterPattern: REFUSED,
  })
  const lambda = (name: FunctionName) => functions[name].lambda
  const own = (metricName: string, service: FunctionName, how: typeof SUM) =>
    new Metric({ namespace, metricName, dimensionsMap: { service }, ...how })

  return {
    /** What the scheduler measures once a minute. */
    gauge: (name: Gauge) => own(name, 'scheduler', MAXIMUM),
    /** How often a function has logged a code that tells of trouble. */
    code: (code: (typeof countedCodes)[number], service: FunctionName) => own(code, service, SUM),
    calls: (name: FunctionName, period: Duration) => lambda(name).metricInvocations({ period }),
    errors: (name: FunctionName) => lambda(name).metricErrors(SUM),
    throttles: (name: FunctionName) => lambda(name).metricThrottles(SUM),
    slowest: (name: FunctionName) => lambda(name).metricDuration(percentile(99)),
    /** ms since the oldest record came that the lake consumer has not taken. */
    iteratorAge: () => lambda('lake').metric('IteratorAge', MAXIMUM),
    /**
     * How often the stream was read. Lambda reads each shard once a second, whether there is something in it or not
     * (docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html), so this tells an idle site from a consumer that is off, as no
     * figure of the consumer's own does: they are all silent while it is not called.
     */
    streamReads: (period: Duration) => stream.metric('GetRecords.Success', { statistic: Stats.SUM, period }),
    recordsIn: () => stream.metricIncomingRecords(SUM),
    bytesIn: () => stream.metricIncomingBytes(SUM),
    /** Records that the stream refused. */
    refused: () => stream.metric('WriteProvisionedThroughputExceeded', SUM),
    waiting: (queue: Queue) => queue.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    requestsRefused: () => refused.metric(SUM),
    requests: () => http.metricCount(SUM),
    clientErrors: () => http.metricClientError(SUM),
    serverErrors: () => http.metricServerError(SUM),
    latency: (percent: number) => http.metricLatency(percentile(percent)),
    /** Bytes that reports have read, by how their statements ended: those that failed or were stopped are billed too. */
    scanned: (period: Duration) =>
      Object.fromEntries(
        ENDED.map(QueryState => {
          const dimensionsMap = { WorkGroup: workgroup, QueryState, QueryType: 'DML' }
          const of = { namespace: 'AWS/Athena', metricName: 'ProcessedBytes', dimensionsMap }
          return [QueryState, new Metric({ ...of, statistic: Stats.SUM, period })]
        }),
      ),
  }
}
