import type { Log } from '#core/ports'

/** What Lambda hands over of an SQS queue, as far as it is used here. */
export type SqsEvent = {
  Records: { messageId: string; body: string; attributes: { ApproximateReceiveCount: string } }[]
}

/** The messages that SQS is to deliver again; it deletes the others. */
export type SqsBatchResponse = { batchItemFailures: { itemIdentifier: string }[] }

/**
 * The receiving side of sqsJobQueue, as a Lambda handler whose mapping has ReportBatchItemFailures. Jobs run one after
 * another, as each uses all the memory it is given. A failed one, or one that cannot be read, is logged and comes
 * again when its message's visibility timeout ends; it never takes the others of its batch with it.
 */
export function jobBatch<Job>({ run, log }: { run(job: Job): Promise<void>; log: Log }) {
  return async ({ Records }: SqsEvent): Promise<SqsBatchResponse> => {
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
