import { Duration } from 'aws-cdk-lib'
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Stream } from 'aws-cdk-lib/aws-kinesis'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { FunctionName } from '#schemas/functions'
import type { countedCodes, Gauge } from '#schemas/log'
import type { ServiceFunction } from './function.ts'

export type Measured = {
  /** POWERTOOLS_METRICS_NAMESPACE of the functions. */
  namespace: string
  functions: Record<FunctionName, ServiceFunction>
  stream: Stream
  api: HttpApi
  workgroup: string
}

/** Which figure of CloudWatch is meant, in one place for the alarms and the dashboard. */
export type Metrics = ReturnType<typeof createMetrics>

const FIVE_MINUTES = Duration.minutes(5)
/** How a statement of Athena can end; it is billed however it does. */
const ENDS = ['SUCCEEDED', 'FAILED', 'CANCELED']

export function createMetrics({ namespace, functions, stream, api, workgroup }: Measured) {
  const { lambda } = functions.lake

  function own(metricName: string, service: FunctionName, statistic: string): Metric {
    const dimensionsMap = { service }
    return new Metric({
      namespace,
      metricName,
      dimensionsMap,
      statistic,
      period: FIVE_MINUTES,
      label: metricName,
    })
  }

  function scanned(state: string, period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/Athena',
      metricName: 'ProcessedBytes',
      dimensionsMap: { WorkGroup: workgroup, QueryState: state, QueryType: 'DML' },
      statistic: Stats.SUM,
      period,
    })
  }

  return {
    /** What the scheduler measures once a minute. */
    gauge: (name: Gauge) => own(name, 'scheduler', Stats.MAXIMUM),
    /** How often a function has logged a code that tells of trouble. */
    code: (code: (typeof countedCodes)[number], service: FunctionName) => own(code, service, Stats.SUM),
    calls: (name: FunctionName, period = FIVE_MINUTES) =>
      functions[name].lambda.metricInvocations({ period, label: name }),
    errors: (name: FunctionName) =>
      functions[name].lambda.metricErrors({ period: FIVE_MINUTES, label: name }),
    throttles: (name: FunctionName) =>
      functions[name].lambda.metricThrottles({ period: FIVE_MINUTES, label: name }),
    durations: (name: FunctionName) =>
      functions[name].lambda.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99), label: name }),
    /** ms since the oldest record that the lake consumer has not taken came. */
    iteratorAge: () =>
      lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: FIVE_MINUTES, label: 'behind, ms' }),
    recordsIn: () => stream.metricIncomingRecords({ period: FIVE_MINUTES, label: 'records' }),
    bytesIn: () => stream.metricIncomingBytes({ period: FIVE_MINUTES, label: 'bytes' }),
    /** Records that the stream refused, of calls with several and of calls as a whole. */
    refused: () =>
      stream.metric('WriteProvisionedThroughputExceeded', {
        statistic: Stats.SUM,
        period: FIVE_MINUTES,
        label: 'refused records',
      }),
    waiting: (queue: Queue, label: string) =>
      queue.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: FIVE_MINUTES,
        label,
      }),
    requests: () => api.metricCount({ period: FIVE_MINUTES, label: 'requests' }),
    clientErrors: () => api.metricClientError({ period: FIVE_MINUTES, label: '4xx', statistic: Stats.SUM }),
    serverErrors: () => api.metricServerError({ period: FIVE_MINUTES, label: '5xx', statistic: Stats.SUM }),
    latency: (percentile: number) =>
      api.metricLatency({
        period: FIVE_MINUTES,
        statistic: Stats.p(percentile),
        label: `p${percentile}, ms`,
      }),
    /** Bytes that statements have read, billed or reused. */
    scanned: (period: Duration): IMetric =>
      new MathExpression({
        // FILL: an end that did not come has no figure, and a sum with it none either.
        expression: ENDS.map(state => `FILL(${state.toLowerCase()}, 0)`).join(' + '),
        usingMetrics: Object.fromEntries(ENDS.map(state => [state.toLowerCase(), scanned(state, period)])),
        period,
        label: 'bytes read by Athena',
      }),
  }
}
