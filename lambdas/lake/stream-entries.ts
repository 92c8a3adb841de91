import type { KinesisStreamRecord } from 'aws-lambda'
import type { StreamEntry } from '#core/ports'

/**
 * The shard of a record. The event id is the shard, a colon and the sequence: `shardId-000000000006:4959…`.
 */
export function shardOf({ eventID }: KinesisStreamRecord): string {
  return eventID.slice(0, eventID.lastIndexOf(':'))
}

export function toEntry({ kinesis }: KinesisStreamRecord): StreamEntry {
  return { sequence: kinesis.sequenceNumber, data: Buffer.from(kinesis.data, 'base64') }
}
