import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis'
import { Construct } from 'constructs'
import type { Config } from './config.ts'

/** What one shard takes in a second. */
const SHARD_RECORDS_PER_SECOND = 1_000

/**
 * The stream that holds an event from its acknowledgement until it is in the lake. It stays when the stack is deleted, but
 * not when the deployment that made it fails: an empty one would cost as much as a full one.
 * Encrypted with the key of AWS for Kinesis: its use costs cents a month, and callers need no grant for it.
 */
export class EventStream extends Construct {
  readonly stream: Stream
  /** Records that it takes in a second; null where that grows with what comes. */
  readonly recordsPerSecond: number | null

  constructor(scope: Construct, id: string, { streamMode, shards = 1, retentionHours }: Config) {
    super(scope, id)
    const provisioned = streamMode === 'provisioned'
    this.stream = new Stream(this, 'Events', {
      streamMode: provisioned ? StreamMode.PROVISIONED : StreamMode.ON_DEMAND,
      ...(provisioned && { shardCount: shards }),
      retentionPeriod: Duration.hours(retentionHours),
      encryption: StreamEncryption.MANAGED,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    this.recordsPerSecond = provisioned ? shards * SHARD_RECORDS_PER_SECOND : null
  }
}
