import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis'
import type { PolledRecord, Position, ShardInfo, ShardReader, ShardSource } from './shard.ts'

/** The shards and records of a Kinesis stream. */
export function kinesisSource(client: KinesisClient, streamArn: string): ShardSource {
  const stream = { StreamARN: streamArn, StreamName: streamArn.slice(streamArn.lastIndexOf('/') + 1) }

  async function shards(): Promise<ShardInfo[]> {
    const found: ShardInfo[] = []
    for (let NextToken: string | undefined; ; ) {
      const page = await client.send(new ListShardsCommand(NextToken === undefined ? stream : { NextToken }))
      for (const { ShardId = '', ParentShardId, AdjacentParentShardId } of page.Shards ?? []) {
        const parents = [ParentShardId, AdjacentParentShardId].filter(parent => parent !== undefined)
        found.push({ id: ShardId, parents })
      }
      if (page.NextToken === undefined) return found
      NextToken = page.NextToken
    }
  }

  function open(shard: string, from: Position): ShardReader {
    let position = from
    let iterator: string | undefined

    async function next(): Promise<{ records: PolledRecord[]; end: boolean }> {
      iterator ??= await iteratorAt(shard, position)
      const page = await client
        .send(new GetRecordsCommand({ StreamARN: streamArn, ShardIterator: iterator }))
        .catch((error: Error) => {
          // An iterator lives for five minutes, a batch that fails may take longer; a busy shard is asked again.
          if (!PASSING.has(error.name)) throw error
          return null
        })
      if (page === null) {
        iterator = undefined
        return { records: [], end: false }
      }
      iterator = page.NextShardIterator
      const records = (page.Records ?? []).map(
        ({
          SequenceNumber = '',
          PartitionKey = '',
          Data = new Uint8Array(),
          ApproximateArrivalTimestamp,
        }) => ({
          sequence: SequenceNumber,
          partitionKey: PartitionKey,
          data: Data,
          arrivedAt: ApproximateArrivalTimestamp?.getTime() ?? 0,
        }),
      )
      const last = records.at(-1)
      if (last !== undefined) position = { after: last.sequence }
      return { records, end: iterator === undefined }
    }

    return { next }
  }

  async function iteratorAt(ShardId: string, position: Position): Promise<string | undefined> {
    const at: Pick<GetShardIteratorCommandInput, 'ShardIteratorType' | 'StartingSequenceNumber'> =
      typeof position === 'string'
        ? { ShardIteratorType: position }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: position.after }
    const answer = await client.send(new GetShardIteratorCommand({ ...stream, ShardId, ...at }))
    return answer.ShardIterator
  }

  return { shards, open }
}

const PASSING = new Set([
  'ExpiredIteratorException',
  'ProvisionedThroughputExceededException',
  'LimitExceededException',
])
