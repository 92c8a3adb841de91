import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Log } from '#core/ports'

export type JobsServices<Job> = { run(job: Job): Promise<void>; log: Log }

/**
 * Runs the jobs that aws/job-queue.ts sends, behind an SQS mapping with ReportBatchItemFailures: SQS delivers
 * the failed messages again and deletes the others. Jobs run one after another, because each uses all the
 * memory of the function. A job that fails, or that cannot be read, is logged; it runs again when the
 * visibility timeout of its message ends. The other jobs of the batch are not affected.
 */
export function jobsHandler<Job>({ run, log }: JobsServices<Job>) {
  return async function runJobs({ Records }: SQSEvent): Promise<SQSBatchResponse> {
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
