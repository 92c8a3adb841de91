import { Duration } from 'aws-cdk-lib'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Config } from './config.ts'
import { MessageQueue } from './message-queue.ts'

/**
 * After this many receives a job becomes a dead letter; maintenance sends the job again later
 * (aws/maintenance-settings.ts). AWS recommends at least five with Lambda, because throttled calls count as
 * receives.
 */
const MAX_RECEIVES = 5

/** The queue of the lake's jobs, with its dead letter queue. */
export class JobQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  /** `jobTimeout` is the longest time that a worker may take for a job. */
  constructor(
    scope: Construct,
    id: string,
    { config, jobTimeout }: { config: Config; jobTimeout: Duration },
  ) {
    super(scope, id)
    this.deadLetters = new MessageQueue(this, 'DeadLetters', { config }).queue
    this.queue = new MessageQueue(this, 'Jobs', {
      config,
      // Longer than the worker's timeout, so that no second worker receives a running job.
      visibility: jobTimeout.plus(Duration.minutes(1)),
      deadLetters: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    }).queue
  }
}
