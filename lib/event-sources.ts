import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { ServiceFunction } from './function.ts'
import type { JobQueue } from './job-queue.ts'
import { FAILURES_PREFIX, type Storage } from './storage.ts'
import type { EventStream } from './stream.ts'

/** Lambda's word for "for as long as it takes". */
const WITHOUT_END = -1

/**
 * The stream's records to the lake consumer, which never drops one: a batch that fails is tried again until it succeeds,
 * halved where it failed whole, and continued where it says that it failed. One batch of a shard at a time, as the
 * claims of a shard follow each other.
 *
 * Should Lambda give up a batch all the same, its records go to the bucket, where an alarm sees them. The CDK's own
 * destination grants reading and listing of the whole bucket; Lambda needs no more than stands here
 * (docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html).
 */
export function feedFromStream(lake: ServiceFunction, { stream }: EventStream, { bucket }: Storage): void {
  lake.allowObjects(bucket, { put: [FAILURES_PREFIX] })
  // IfExists: nobody documents whether Lambda names a prefix when it tries this right.
  lake.allow(['s3:ListBucket'], [bucket.bucketArn], {
    StringLikeIfExists: { 's3:prefix': [`${FAILURES_PREFIX}*`] },
  })
  mapping(lake, 'FromStream', {
    eventSourceArn: stream.streamArn,
    // Everything that is kept, also after the mapping was made anew: what was taken already is skipped.
    startingPosition: 'TRIM_HORIZON',
    batchSize: 10_000,
    // Fewer and larger files; Lambda ends a batch at 6 MB too.
    maximumBatchingWindowInSeconds: 60,
    parallelizationFactor: 1,
    maximumRetryAttempts: WITHOUT_END,
    maximumRecordAgeInSeconds: WITHOUT_END,
    bisectBatchOnFunctionError: true,
    functionResponseTypes: ['ReportBatchItemFailures'],
    destinationConfig: { onFailure: { destination: bucket.bucketArn } },
  })
}

/** The queue's jobs to the worker, one at a time: a job uses all the memory there is. */
export function feedFromQueue(worker: ServiceFunction, { queue }: JobQueue, concurrency: number): void {
  worker.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queue.queueArn])
  mapping(worker, 'FromQueue', {
    eventSourceArn: queue.queueArn,
    batchSize: 1,
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: concurrency },
  })
}

function mapping(
  to: ServiceFunction,
  id: string,
  props: Omit<ConstructorParameters<typeof CfnEventSourceMapping>[2], 'functionName'>,
): void {
  const made = new CfnEventSourceMapping(to as Construct, id, {
    functionName: to.lambda.functionName,
    ...props,
  })
  // Lambda tries the role's rights when the mapping is made.
  if (to.lambda.role !== undefined) made.node.addDependency(to.lambda.role)
}
