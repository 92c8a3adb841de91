import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { JobQueue } from '#core/ports'
import { toApiError } from '#core/state/transient'

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5

/**
 * The JobQueue port on a standard queue of SQS. A job is a message of JSON. SQS may deliver it twice. It
 * delivers a job again when its worker fails (lambdas/jobs/handler.ts), until the queue's redrive policy
 * moves it to the dead letters.
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
          new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: escapeToAscii(JSON.stringify(job)) }),
        )
      } catch (error) {
        throw toApiError(
          error,
          'The job queue cannot be reached now. Try again in a few seconds.',
          RETRY_AFTER,
        )
      }
    },
  }
}

/** Escapes every character of the JSON that is not ASCII: SQS rejects messages with some other characters. */
function escapeToAscii(json: string): string {
  return json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
