import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  paginateScan,
  RestoreTableToPointInTimeCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { SECOND_MS, type Wait } from './wait.ts'

type Item = Record<string, AttributeValue>

/** DynamoDB takes this many items in a call. */
const BATCH = 25
/** A restoration of a small table takes 5 to 20 minutes. This is two hours. */
const ACTIVE_TRIES = 720
const EVERY_MS = 10 * SECOND_MS
/** Tries of a batch whose items DynamoDB did not take, and the wait before each next one. */
const WRITE_TRIES = 20

/**
 * Restores a table to a moment under another name, or continues with the one of an earlier try, and waits
 * until it can be read. It does not touch the table itself.
 */
export async function restoreCopy(
  { dynamo, wait }: { dynamo: DynamoDBClient; wait: Wait },
  { table, copy, moment }: { table: string; copy: string; moment: Date },
): Promise<void> {
  if ((await statusOf(dynamo, copy)) === null)
    await dynamo.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: table,
        TargetTableName: copy,
        RestoreDateTime: moment,
      }),
    )
  await wait.until(async () => (await statusOf(dynamo, copy)) === 'ACTIVE', {
    everyMs: EVERY_MS,
    tries: ACTIVE_TRIES,
    problem: `The table ${copy} is not active after two hours. Look at it in the console, and run the command again.`,
  })
}

/**
 * Writes all items of one table into another, over those with the same key, and returns their number. Other
 * items stay: what was made after the moment, such as erasures, is still true.
 */
export async function copyItems(
  { dynamo, wait }: { dynamo: DynamoDBClient; wait: Wait },
  from: string,
  to: string,
): Promise<number> {
  let count = 0
  for await (const { Items = [] } of paginateScan(
    { client: dynamo },
    { TableName: from, ConsistentRead: true },
  )) {
    for (let start = 0; start < Items.length; start += BATCH)
      await writeBatch({ dynamo, wait }, to, Items.slice(start, start + BATCH))
    count += Items.length
  }
  return count
}

async function writeBatch(
  { dynamo, wait }: { dynamo: DynamoDBClient; wait: Wait },
  table: string,
  items: readonly Item[],
): Promise<void> {
  let requests: WriteRequest[] = items.map(Item => ({ PutRequest: { Item } }))
  await wait.until(
    async () => {
      const { UnprocessedItems = {} } = await dynamo.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
      )
      requests = UnprocessedItems[table] ?? []
      return requests.length === 0
    },
    {
      everyMs: SECOND_MS,
      tries: WRITE_TRIES,
      problem: `The table ${table} takes no items. Run the command again.`,
    },
  )
}

/** Deletes the copy. A restored table has no deletion protection. */
export async function deleteCopy(dynamo: DynamoDBClient, copy: string): Promise<void> {
  await dynamo.send(new DeleteTableCommand({ TableName: copy }))
}

async function statusOf(dynamo: DynamoDBClient, TableName: string): Promise<string | null> {
  try {
    return (await dynamo.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus ?? null
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return null
    throw error
  }
}
