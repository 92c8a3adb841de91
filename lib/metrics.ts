import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { Stream } from 'aws-cdk-lib/aws-kinesis'
import type { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern } from 'aws-cdk-lib/aws-logs'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { FunctionName } from '#schemas/functions'
import type { countedCodes, Gauge } from '#schemas/log'
import type { Api } from './api.ts'
import type { ServiceFunction } from './function.ts'
import { DUCKDB_FUNCTIONS } from './function-sizes.ts'

export type MetricSources = {
  /** POWERTOOLS_METRICS_NAMESPACE of the functions. */
  namespace: string
  functions: Record<FunctionName, ServiceFunction>
  stream: Stream
  /** The mapping of the stream to the lake consumer. */
  lakeMapping: CfnEventSourceMapping
  api: Api
  workgroup: string
  /** Whether CloudFront calls `track` by its own URL, so that the metrics of the API do not count it. */
  trackByUrl: boolean
}

/** The CloudWatch metrics that the alarms and the dashboard share. The dashboard adds the labels. */
export type Metrics = ReturnType<typeof createMetrics>

const FIVE_MINUTES = Duration.minutes(5)
const SUM = { statistic: Stats.SUM, period: FIVE_MINUTES }
const MAXIMUM = { statistic: Stats.MAXIMUM, period: FIVE_MINUTES }
const percentile = (percent: number) => ({ statistic: Stats.p(percent), period: FIVE_MINUTES })

/**
 * Requests that the gateway itself answered with 429, without a call of a function. No metric of AWS has only
 * these, so they are counted from the access log. lib/api.ts defines its fields.
 */
const THROTTLED_BY_GATEWAY = FilterPattern.all(
  FilterPattern.stringValue('$.status', '=', '429'),
  FilterPattern.stringValue('$.functionStatus', '!=', '200'),
)

const NEARLY_FULL = 'MemoryNearlyFull'
const NEARLY_FULL_SHARE = 0.9

/**
 * Lambda's line at the end of a call, which has the most memory that the process has used
 * (docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html, platform.report).
 */
function usesMemoryAbove(megabytes: number) {
  return FilterPattern.all(
    FilterPattern.stringValue('$.type', '=', 'platform.report'),
    FilterPattern.numberValue('$.record.metrics.maxMemoryUsedMB', '>', Math.floor(megabytes)),
  )
}

/**
 * Final states of an Athena statement. Athena's API documents CANCELLED, its list of metrics documents
 * CANCELED. Nobody has tried it yet, so both are here; the wrong one has no data.
 */
const QUERY_STATES = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'CANCELED']

export function createMetrics({
  namespace,
  functions,
  stream,
  lakeMapping,
  api,
  workgroup,
  trackByUrl,
}: MetricSources) {
  const { http } = api
  const gatewayThrottles = api.log.addMetricFilter('Refused', {
    metricNamespace: namespace,
    metricName: 'RequestsRefused',
    filterPattern: THROTTLED_BY_GATEWAY,
  })
  for (const name of DUCKDB_FUNCTIONS)
    functions[name].lambda.logGroup.addMetricFilter('NearlyFull', {
      metricNamespace: namespace,
      metricName: NEARLY_FULL,
      filterPattern: usesMemoryAbove(functions[name].memoryMb * NEARLY_FULL_SHARE),
    })
  const lambda = (name: FunctionName) => functions[name].lambda
  const serviceMetric = (metricName: string, service: FunctionName, aggregation: typeof SUM) =>
    new Metric({ namespace, metricName, dimensionsMap: { service }, ...aggregation })

  const mappingMetric = (metricName: string, aggregation: typeof SUM) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { EventSourceMappingUUID: lakeMapping.ref },
      ...aggregation,
    })

  const statements = (QueryState: string, aggregation: typeof SUM) =>
    new Metric({
      namespace: 'AWS/Athena',
      metricName: 'TotalExecutionTime',
      dimensionsMap: { WorkGroup: workgroup, QueryState, QueryType: 'DML' },
      ...aggregation,
    })

  return {
    /** A gauge that the scheduler measures once a minute; `Epoch` every six hours. */
    gauge: (name: Gauge) =>
      serviceMetric(name, 'scheduler', name === 'Epoch' ? { ...MAXIMUM, period: Duration.days(1) } : MAXIMUM),
    /** How often a function has logged an error code. */
    code: (code: (typeof countedCodes)[number], service: FunctionName, period = FIVE_MINUTES) =>
      serviceMetric(code, service, { ...SUM, period }),
    invocations: (name: FunctionName, period: Duration) => lambda(name).metricInvocations({ period }),
    errors: (name: FunctionName, period = FIVE_MINUTES) => lambda(name).metricErrors({ ...SUM, period }),
    /**
     * Throttled calls of all functions of the account in this region, because they share its concurrent
     * executions.
     */
    accountThrottles: () => new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...SUM }),
    throttles: (name: FunctionName) => lambda(name).metricThrottles(SUM),
    /** Calls of the functions with DuckDB that used nearly all of their memory. */
    nearlyFull: () => new Metric({ namespace, metricName: NEARLY_FULL, ...SUM }),
    durationP99: (name: FunctionName) => lambda(name).metricDuration(percentile(99)),
    /** Age of the oldest record that the lake consumer has not read, ms. */
    iteratorAge: () => lambda('lake').metric('IteratorAge', MAXIMUM),
    /** Age of the oldest record that the live consumer has not read, ms. */
    liveAge: () => lambda('live').metric('IteratorAge', MAXIMUM),
    /**
     * How often Lambda has polled the stream for the lake consumer. It polls each shard once a second, and an
     * empty poll counts as a value of 0 (docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html,
     * PolledEventCount). So the number of values separates a site without traffic from a consumer that is
     * off. The metrics of the function cannot: without calls they have no data. Those of the stream cannot
     * either, because the live consumer reads it too.
     */
    lakePolls: (period: Duration) =>
      mappingMetric('PolledEventCount', { statistic: Stats.SAMPLE_COUNT, period }),
    /**
     * Batches that Lambda gave up and put into the S3 bucket, from the same metrics of the mapping. A queue
     * with notifications of S3 would begin with a test message, and so with an alarm.
     */
    failedBatches: () => mappingMetric('OnFailureDestinationDeliveredEventCount', SUM),
    recordsIn: (period = FIVE_MINUTES) => stream.metricIncomingRecords({ ...SUM, period }),
    bytesIn: () => stream.metricIncomingBytes(SUM),
    /** Records that the stream refused for want of capacity. */
    throttledRecords: () => stream.metric('WriteProvisionedThroughputExceeded', SUM),
    /** Reads that the stream refused: its consumers share 2 MB a second and five reads of each shard. */
    throttledReads: () => stream.metric('ReadProvisionedThroughputExceeded', SUM),
    oldestMessage: (queue: Queue) => queue.metricApproximateAgeOfOldestMessage(MAXIMUM),
    /**
     * Reads and writes that the table refused, because a partition or the whole table has had too many of
     * them. They are two metrics, because a sum of them would be metric math, which costs an alarm the same.
     */
    tableThrottles: (table: Table) => ({
      reads: table.metric('ReadThrottleEvents', SUM),
      writes: table.metric('WriteThrottleEvents', SUM),
    }),
    /** How many statements failed. */
    failedStatements: () => statements('FAILED', { statistic: Stats.SAMPLE_COUNT, period: FIVE_MINUTES }),
    /** How many statements succeeded. Athena bills each as 10 MB at least. */
    statements: (period: Duration) => statements('SUCCEEDED', { statistic: Stats.SAMPLE_COUNT, period }),
    /** Time of the statements that succeeded, with their wait in the queue, ms. */
    statementTime: () => statements('SUCCEEDED', percentile(90)),
    visibleMessages: (queue: Queue) => queue.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    throttledRequests: () => gatewayThrottles.metric(SUM),
    requests: (period = FIVE_MINUTES) => http.metricCount({ ...SUM, period }),
    /** Requests of the URL of `track`, and those that got 5xx; null if the API calls it. */
    ingestion: trackByUrl
      ? {
          requests: (period = FIVE_MINUTES) => lambda('track').metric('UrlRequestCount', { ...SUM, period }),
          serverErrors: (period = FIVE_MINUTES) => lambda('track').metric('Url5xxCount', { ...SUM, period }),
        }
      : null,
    clientErrors: () => http.metricClientError(SUM),
    serverErrors: (period = FIVE_MINUTES) => http.metricServerError({ ...SUM, period }),
    latency: (percent: number) => http.metricLatency(percentile(percent)),
    /**
     * Bytes that reports have read, by the final state of the statement. AWS bills failed and cancelled ones
     * too.
     */
    scannedBytes: (period: Duration) =>
      Object.fromEntries(
        QUERY_STATES.map(QueryState => {
          const dimensionsMap = { WorkGroup: workgroup, QueryState, QueryType: 'DML' }
          const metric = { namespace: 'AWS/Athena', metricName: 'ProcessedBytes', dimensionsMap }
          return [QueryState, new Metric({ ...metric, statistic: Stats.SUM, period })]
        }),
      ),
  }
}
