import { Duration } from 'aws-cdk-lib'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { MessageQueue } from './message-queue.ts'

/**
 * A job that failed this often waits for a person; maintenance sends it anew meanwhile (aws/maintenance-settings.ts).
 * Five, as AWS asks for with Lambda: a receive counts also when the function was refused a place.
 */
const TRIES = 5

/** The queue of the lake's jobs, with the dead letters of those that keep failing. */
export class JobQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  /** `jobTimeout`: how long a worker may take for one. */
  constructor(scope: Construct, id: string, { jobTimeout }: { jobTimeout: Duration }) {
    super(scope, id)
    this.deadLetters = new MessageQueue(this, 'DeadLetters').queue
    this.queue = new MessageQueue(this, 'Jobs', {
      // A little longer than the worker: a job that runs must not be given to a second one.
      visibility: jobTimeout.plus(Duration.minutes(1)),
      deadLetters: { queue: this.deadLetters, maxReceiveCount: TRIES },
    }).queue
  }
}
