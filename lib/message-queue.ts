import { Duration } from 'aws-cdk-lib'
import { type DeadLetterQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'

export type MessageQueueProps = {
  config: Config
  /** How long a received message stays hidden from other receivers. */
  visibility?: Duration
  /** Where messages go after too many receives. Without it, messages wait in this queue for an operator. */
  deadLetters?: DeadLetterQueue
}

/**
 * A standard SQS queue: encrypted (with SQS's own keys, or with keyArn), TLS only, with the longest retention
 * that SQS has (14 days).
 */
export class MessageQueue extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { config, visibility, deadLetters }: MessageQueueProps) {
    super(scope, id)
    const key = dataKey(this, config)
    this.queue = new Queue(this, 'Queue', {
      ...(key === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: key }),
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      ...(visibility && { visibilityTimeout: visibility }),
      ...(deadLetters && { deadLetterQueue: deadLetters }),
    })
    if (deadLetters === undefined) {
      acceptFindings(this.queue, {
        'AwsSolutions-SQS3': 'This queue is itself a dead letter queue. An alarm calls an operator.',
      })
    }
  }
}
