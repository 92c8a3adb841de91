import { Duration, Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Config } from './config.ts'
import { KEY_USES, viaService } from './data-key.ts'
import type { ServiceFunction } from './function.ts'
import { MessageQueue } from './message-queue.ts'

/**
 * Calls the scheduler function every minute. A call without permission leaves a message in the dead letter
 * queue. A throttled call leaves none: Lambda accepts it, waits for a free execution and drops it after a
 * minute. The next call does the work. After 15 minutes without a call, the alarm MaintenanceStopped sounds
 * (docs.aws.amazon.com/lambda/latest/dg/with-eventbridge-scheduler.html).
 */
export class MinuteSchedule extends Construct {
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, { lambda }: ServiceFunction, config: Config) {
    super(scope, id)
    this.deadLetters = new MessageQueue(this, 'DeadLetters', { config }).queue
    // No retries: the next call does the work of a failed one.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) })
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    })
    const allow = (action: string, resource: string) =>
      role.addToPolicy(new PolicyStatement({ actions: [action], resources: [resource] }))
    allow('lambda:InvokeFunction', lambda.functionArn)
    allow('sqs:SendMessage', this.deadLetters.queueArn)
    if (config.keyArn !== undefined)
      role.addToPolicy(
        new PolicyStatement({
          actions: [...KEY_USES.write],
          resources: [config.keyArn],
          conditions: viaService(this, 'sqs'),
        }),
      )
    new CfnSchedule(this, 'Schedule', {
      description: 'Maintenance of the lake',
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: lambda.functionArn,
        roleArn: role.roleArn,
        input: '{}',
        retryPolicy: { maximumRetryAttempts: 1, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: this.deadLetters.queueArn },
      },
    }).node.addDependency(role)
  }
}
