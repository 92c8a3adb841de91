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

/** The functions whose time tells whether they still cope. */
const WORKING = ['track', 'reports', 'lake', 'jobs'] as const

/** One page in the console: does it take events, do they reach the lake, are they read, what fails. */
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
          graph('Requests', {
            requests: metrics.requests(),
            '4xx': metrics.clientErrors(),
            '5xx': metrics.serverErrors(),
          }),
          graph('Latency, ms', { p50: metrics.latency(50), p99: metrics.latency(99) }),
          graph(
            'Stream',
            { records: metrics.recordsIn(), refused: metrics.refused() },
            { bytes: metrics.bytesIn() },
          ),
        ],
        [
          graph('Behind the stream, ms', { oldest: metrics.iteratorAge() }),
          graph('Age, s', {
            'open claim': metrics.gauge('ClaimAgeSeconds'),
            'compaction lag': metrics.gauge('CompactionLagSeconds'),
          }),
          graph('Jobs that wait', { jobs: metrics.waiting(jobs) }, { epoch: metrics.gauge('Epoch') }),
        ],
        [
          graph('Errors', Object.fromEntries(names.map(name => [name, metrics.errors(name)]))),
          graph(
            'Slowest of a hundred, ms',
            Object.fromEntries(WORKING.map(name => [name, metrics.slowest(name)])),
          ),
          graph('Athena, bytes an hour', metrics.scanned(Duration.hours(1))),
        ],
      ],
    })
  }
}

type Labelled = Record<string, Metric>

function graph(title: string, left: Labelled, right: Labelled = {}): GraphWidget {
  return new GraphWidget({ title, left: labelled(left), right: labelled(right), width: 8, height: 6 })
}

function labelled(metrics: Labelled): Metric[] {
  return Object.entries(metrics).map(([label, metric]) => metric.with({ label }))
}
