import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb'
import { SECOND_MS, type Wait } from './wait.ts'

/** A restoration of a small table takes 5 to 20 minutes. This is two hours. */
const ACTIVE_TRIES = 720
const EVERY_MS = 10 * SECOND_MS

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
