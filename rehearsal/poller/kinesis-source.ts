import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis'
import { isTransient } from '#core/state/transient'
import type { PolledRecord, Position, ShardInfo, ShardReader, ShardSource } from './shard.ts'

/** Reads the shards and records of a Kinesis stream. */
export function createKinesisSource(client: KinesisClient, streamArn: string): ShardSource {
  const stream = { StreamARN: streamArn, StreamName: streamArn.slice(streamArn.lastIndexOf('/') + 1) }

  async function shards(): Promise<ShardInfo[]> {
    const allShards: ShardInfo[] = []
    for (let NextToken: string | undefined; ; ) {
      const page = await client.send(new ListShardsCommand(NextToken === undefined ? stream : { NextToken }))
      for (const { ShardId = '', ParentShardId, AdjacentParentShardId } of page.Shards ?? []) {
        const parents = [ParentShardId, AdjacentParentShardId].filter(parent => parent !== undefined)
        allShards.push({ id: ShardId, parents })
      }
      if (page.NextToken === undefined) return allShards
      NextToken = page.NextToken
    }
  }

  function open(shard: string, startPosition: Position): ShardReader {
    let position = startPosition
    let iterator: string | undefined

    async function readPage() {
      iterator ??= await getIterator(shard, position)
      return client.send(new GetRecordsCommand({ StreamARN: streamArn, ShardIterator: iterator }))
    }

    async function next(): Promise<{ records: PolledRecord[]; end: boolean }> {
      const page = await readPage().catch((error: Error) => {
        // An iterator expires after five minutes, and a failing batch may take longer. A call that was
        // throttled or broken off is repeated.
        if (error.name !== 'ExpiredIteratorException' && !isTransient(error)) throw error
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

  async function getIterator(ShardId: string, position: Position): Promise<string | undefined> {
    const start: Pick<GetShardIteratorCommandInput, 'ShardIteratorType' | 'StartingSequenceNumber'> =
      typeof position === 'string'
        ? { ShardIteratorType: position }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: position.after }
    const response = await client.send(new GetShardIteratorCommand({ ...stream, ShardId, ...start }))
    return response.ShardIterator
  }

  return { shards, open }
}
