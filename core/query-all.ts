import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { orUnavailable, type StateTable } from './state-table.ts'

export type Item = Record<string, unknown>

/** Reads all items of one partition that a query matches, over as many pages as they have. */
export async function queryAll(
  { client, table }: StateTable,
  query: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
): Promise<Item[]> {
  const items: Item[] = []
  let start: Item | undefined
  do {
    const page = await orUnavailable(client.query({ ...query, TableName: table, ExclusiveStartKey: start }))
    items.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return items
}

/** Reads all items of a partition with `from` <= sk <= `to`, consistently, in ascending order of sk. */
export function queryItems(state: StateTable, pk: string, from: string, to: string): Promise<Item[]> {
  return queryAll(state, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ConsistentRead: true,
  })
}
