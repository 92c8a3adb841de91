import { Duration } from 'aws-cdk-lib'
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
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
          graph('Requests', [metrics.requests(), metrics.clientErrors(), metrics.serverErrors()]),
          graph('Latency', [metrics.latency(50), metrics.latency(99)]),
          graph('Stream', [metrics.recordsIn(), metrics.refused()], [metrics.bytesIn()]),
        ],
        [
          graph('Behind the stream', [metrics.iteratorAge()]),
          graph('Age, s', [metrics.gauge('ClaimAgeSeconds'), metrics.gauge('CompactionLagSeconds')]),
          graph('Jobs that wait', [metrics.waiting(jobs, 'jobs')], [metrics.gauge('Epoch')]),
        ],
        [
          graph(
            'Errors',
            names.map(each => metrics.errors(each)),
          ),
          graph(
            'Slowest of a hundred, ms',
            (['track', 'reports', 'lake', 'jobs'] as const).map(metrics.durations),
          ),
          graph('Athena', [metrics.scanned(Duration.hours(1))]),
        ],
      ],
    })
  }
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): GraphWidget {
  return new GraphWidget({ title, left, right, width: 8, height: 6 })
}
