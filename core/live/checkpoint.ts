import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'

/**
 * The last sequence of each shard that the live consumer of one machine has copied. On AWS, Lambda keeps it.
 */
export function createLiveCheckpoint({ client, table }: StateTable) {
  const key = (shard: string) => ({ pk: 'live-checkpoint', sk: shard })

  return {
    async read(shard: string): Promise<string | null> {
      const Item = await readItem({ client, table }, key(shard))
      return typeof Item?.sequence === 'string' ? Item.sequence : null
    },
    async write(shard: string, sequence: string): Promise<void> {
      await orUnavailable(client.put({ TableName: table, Item: { ...key(shard), sequence } }))
    },
  }
}

export type LiveCheckpoint = ReturnType<typeof createLiveCheckpoint>
