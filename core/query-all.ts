import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { orUnavailable, type StateTable } from './state-table.ts'

/** Reads all items of one partition that a query matches, over as many pages as they have. */
export async function queryAll(
  { client, table }: StateTable,
  query: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let start: Record<string, unknown> | undefined
  do {
    const page = await orUnavailable(client.query({ ...query, TableName: table, ExclusiveStartKey: start }))
    items.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return items
}
