import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis'
import { Construct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'
import { pinLogicalId } from './kept-resources.ts'

/** Capacity of one shard, a limit of Kinesis. */
const SHARD_RECORDS_PER_SECOND = 1_000

/**
 * The stream, which holds an event from its acknowledgement until it is in the lake. It stays when the stack
 * is deleted, but not when its first deployment fails, because an empty stream costs as much as a full one.
 * By default it is encrypted with Amazon's key for Kinesis: that costs cents a month, and callers need no
 * grant.
 */
export class EventStream extends Construct {
  readonly stream: Stream
  /** Capacity of all shards; null for an on-demand stream, whose capacity grows with the traffic. */
  readonly recordsPerSecond: number | null

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id)
    const { streamMode, shards = 1, retentionHours } = config
    const encryptionKey = dataKey(this, config)
    const provisioned = streamMode === 'provisioned'
    this.stream = new Stream(this, 'Events', {
      streamMode: provisioned ? StreamMode.PROVISIONED : StreamMode.ON_DEMAND,
      ...(provisioned && { shardCount: shards }),
      retentionPeriod: Duration.hours(retentionHours),
      encryption: encryptionKey ? StreamEncryption.KMS : StreamEncryption.MANAGED,
      ...(encryptionKey && { encryptionKey }),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    pinLogicalId(this.stream, 'stream')
    if (encryptionKey) {
      acceptFindings(this.stream, {
        'AwsSolutions-KDS3': 'The deployer has chosen a key of their own for all that the stack keeps.',
      })
    }
    this.recordsPerSecond = provisioned ? shards * SHARD_RECORDS_PER_SECOND : null
  }
}
