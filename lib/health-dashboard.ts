import { Duration } from 'aws-cdk-lib'
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { type FunctionName, functions } from '#schemas/functions'
import type { Metrics } from './metrics.ts'

export type HealthDashboardProps = {
  name: string
  metrics: Metrics
  alarms: Alarm[]
  jobs: Queue
}

/** The functions whose duration shows whether they keep up with the load. */
const TIMED_FUNCTIONS = ['track', 'reports', 'lake', 'jobs'] as const

/** One page in the console that shows requests, the stream, compaction, reads and errors. */
export class HealthDashboard extends Construct {
  constructor(scope: Construct, id: string, { name, metrics, alarms, jobs }: HealthDashboardProps) {
    super(scope, id)
    const names = Object.keys(functions) as FunctionName[]
    new Dashboard(this, 'Dashboard', {
      dashboardName: name,
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 5 })],
        [
          createGraph('Requests', {
            requests: metrics.requests(),
            ...(metrics.ingestion && { ingestion: metrics.ingestion.requests() }),
            '4xx': metrics.clientErrors(),
            '5xx': metrics.serverErrors(),
          }),
          createGraph('Latency, ms', { p50: metrics.latency(50), p99: metrics.latency(99) }),
          createGraph(
            'Stream',
            { records: metrics.recordsIn(), refused: metrics.throttledRecords() },
            { bytes: metrics.bytesIn() },
          ),
        ],
        [
          createGraph('Oldest unread record, ms', { age: metrics.iteratorAge() }),
          createGraph('Age, s', {
            'open claim': metrics.gauge('ClaimAgeSeconds'),
            'compaction lag': metrics.gauge('CompactionLagSeconds'),
          }),
          createGraph(
            'Waiting jobs',
            { jobs: metrics.visibleMessages(jobs) },
            { epoch: metrics.gauge('Epoch') },
          ),
        ],
        [
          createGraph('Errors', Object.fromEntries(names.map(name => [name, metrics.errors(name)]))),
          createGraph(
            'Duration p99, ms',
            Object.fromEntries(TIMED_FUNCTIONS.map(name => [name, metrics.durationP99(name)])),
          ),
          createGraph('Athena, bytes an hour', metrics.scannedBytes(Duration.hours(1))),
        ],
      ],
    })
  }
}

type MetricsByLabel = Record<string, Metric>

function createGraph(title: string, left: MetricsByLabel, right: MetricsByLabel = {}): GraphWidget {
  return new GraphWidget({ title, left: withLabels(left), right: withLabels(right), width: 8, height: 6 })
}

function withLabels(metrics: MetricsByLabel): Metric[] {
  return Object.entries(metrics).map(([label, metric]) => metric.with({ label }))
}
