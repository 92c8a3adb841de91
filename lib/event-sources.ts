import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { ServiceFunction } from './function.ts'
import type { JobQueue } from './job-queue.ts'
import { FAILURES_PREFIX, type Storage } from './storage.ts'
import type { EventStream } from './stream.ts'

/** Lambda's value for "no limit". */
const UNLIMITED = -1

/**
 * Feeds the stream to the lake consumer, which never drops a record. Lambda retries a failed batch without
 * limit: from the record that the consumer reports, or in two halves when the whole call failed. Only one
 * batch of a shard runs at a time, because the claims of a shard are in order.
 *
 * If Lambda still gives up a batch, it puts the records into the S3 bucket, and an alarm sounds. The CDK's
 * own failure destination grants reading and listing of the whole S3 bucket; Lambda needs only the rights
 * here (docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html). Returns the mapping.
 */
export function feedFromStream(
  lake: ServiceFunction,
  { stream }: EventStream,
  { bucket }: Storage,
): CfnEventSourceMapping {
  lake.allowObjects(bucket, { put: [FAILURES_PREFIX] })
  // IfExists, because AWS does not document whether Lambda's check of this right names a prefix.
  lake.allow(['s3:ListBucket'], [bucket.bucketArn], {
    StringLikeIfExists: { 's3:prefix': [`${FAILURES_PREFIX}*`] },
  })
  return createMapping(lake, 'FromStream', {
    eventSourceArn: stream.streamArn,
    // The oldest record, also for a mapping that replaces another: the consumer skips records that are in the
    // lake.
    startingPosition: 'TRIM_HORIZON',
    batchSize: 10_000,
    // A long window gives fewer and larger files. Lambda also ends a batch at 6 MB.
    maximumBatchingWindowInSeconds: 60,
    parallelizationFactor: 1,
    maximumRetryAttempts: UNLIMITED,
    maximumRecordAgeInSeconds: UNLIMITED,
    bisectBatchOnFunctionError: true,
    functionResponseTypes: ['ReportBatchItemFailures'],
    destinationConfig: { onFailure: { destination: bucket.bucketArn } },
    metricsConfig: { metrics: ['EventCount'] },
  })
}

/**
 * Feeds the stream to the live consumer too. Lambda polls each shard once a second, so without a window a
 * batch holds the records of about a second. A batch that fails is tried twice more and then dropped, and so
 * are records over a minute old: nobody waits for them in live reads, and the lake consumer has every record.
 * So there is no failure destination; an alarm tells of failures.
 */
export function feedLive(live: ServiceFunction, { stream }: EventStream): void {
  createMapping(live, 'FromStream', {
    eventSourceArn: stream.streamArn,
    startingPosition: 'LATEST',
    batchSize: 10_000,
    maximumBatchingWindowInSeconds: 0,
    parallelizationFactor: 1,
    maximumRetryAttempts: 2,
    maximumRecordAgeInSeconds: 60,
    bisectBatchOnFunctionError: false,
  })
}

/** Feeds the queue to the worker, one job at a time, because a job uses all memory of the worker. */
export function feedFromQueue(worker: ServiceFunction, { queue }: JobQueue, concurrency: number): void {
  worker.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queue.queueArn])
  worker.allowKey('sqs', 'read')
  createMapping(worker, 'FromQueue', {
    eventSourceArn: queue.queueArn,
    batchSize: 1,
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: concurrency },
  })
}

function createMapping(
  target: ServiceFunction,
  id: string,
  props: Omit<ConstructorParameters<typeof CfnEventSourceMapping>[2], 'functionName'>,
): CfnEventSourceMapping {
  const mapping = new CfnEventSourceMapping(target as Construct, id, {
    functionName: target.lambda.functionName,
    ...props,
  })
  // Lambda checks the rights of the role when it creates the mapping.
  if (target.lambda.role !== undefined) mapping.node.addDependency(target.lambda.role)
  return mapping
}
