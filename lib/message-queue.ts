import { Duration } from 'aws-cdk-lib'
import { type DeadLetterQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { acknowledge } from './acknowledge.ts'

export type MessageQueueProps = {
  /** How long a message that was taken stays hidden from other takers. */
  visibility?: Duration
  /** Where messages go that were taken too often. Without it the queue is one where messages wait for a person. */
  deadLetters?: DeadLetterQueue
}

/** A standard queue of SQS: encrypted with SQS's own keys, over TLS alone, kept for as long as SQS does (14 days). */
export class MessageQueue extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { visibility, deadLetters }: MessageQueueProps = {}) {
    super(scope, id)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      ...(visibility && { visibilityTimeout: visibility }),
      ...(deadLetters && { deadLetterQueue: deadLetters }),
    })
    if (deadLetters === undefined) {
      acknowledge(this.queue, {
        'AwsSolutions-SQS3': 'Messages wait here for a person, under an alarm: it is the end.',
      })
    }
  }
}
