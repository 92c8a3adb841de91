import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { JobQueue } from '#core/ports'
import { mapped } from './fault.ts'

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5

/**
 * The JobQueue port on a standard queue of SQS: a job is a message of JSON. SQS may deliver it twice, and delivers it
 * again while its worker fails (lambdas/jobs/handler.ts), until the queue's redrive policy takes it to the dead letters.
 */
export function createSqsJobQueue<Job>({
  client,
  queueUrl,
}: {
  client: SQSClient
  queueUrl: string
}): JobQueue<Job> {
  return {
    async send(job) {
      try {
        await client.send(
          new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: ascii(JSON.stringify(job)) }),
        )
      } catch (error) {
        throw mapped(error, 'Work cannot be queued now.', RETRY_AFTER)
      }
    },
  }
}

/** The same JSON with all but ASCII escaped: SQS refuses some characters, and no escape is among them. */
function ascii(json: string): string {
  return json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
