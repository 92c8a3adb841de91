import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Log } from '#core/ports'

export type JobsServices<Job> = { run(job: Job): Promise<void>; log: Log }

/**
 * The receiving side of aws/job-queue.ts, behind a mapping with ReportBatchItemFailures: what is reported is delivered
 * again, the rest is deleted. Jobs run one after another, as each uses all the memory it is given. A failed one, or one
 * that cannot be read, is logged and comes again when its message's visibility timeout ends; it never takes the others
 * of its batch with it.
 */
export function jobsHandler<Job>({ run, log }: JobsServices<Job>) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const failed: string[] = []
    for (const { messageId, body, attributes } of Records) {
      try {
        await run(JSON.parse(body))
      } catch (error) {
        log('JOB_FAILED', {
          job: body,
          failures: Number(attributes.ApproximateReceiveCount),
          error: String(error),
        })
        failed.push(messageId)
      }
    }
    return { batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })) }
  }
}
