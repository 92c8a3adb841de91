import type { BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { slices } from '#core/async/slices'
import { unavailable } from '#core/errors'
import { orUnavailable, type StateTable, UNREACHABLE } from './state-table.ts'

/** A new item, or the key of one to delete. */
export type ItemWrite = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** DynamoDB takes this many writes in one request. */
export const BATCH_WRITES = 25
/** DynamoDB may leave writes of a batch undone when it is busy. */
const TRIES = 5

/**
 * Writes and deletes items without conditions, each key at most once. Many writes in one request cost a third
 * of the processor time of as many requests. Some may be done when it throws: UNAVAILABLE on a transient
 * failure, also when the table stays too busy.
 */
export async function writeItems({ client, table }: StateTable, writes: readonly ItemWrite[]): Promise<void> {
  for (const batch of slices(writes, BATCH_WRITES)) {
    let waiting = batch
    for (let tries = 0; waiting.length > 0; tries++) {
      if (tries === TRIES) throw unavailable(UNREACHABLE, 1)
      const { UnprocessedItems } = await orUnavailable(
        client.batchWrite({ RequestItems: { [table]: waiting } }),
      )
      waiting = UnprocessedItems?.[table] ?? []
    }
  }
}
