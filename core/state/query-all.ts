import type { QueryCommandInput, ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { orUnavailable, type StateTable } from './state-table.ts'

export type Item = Record<string, unknown>

type Query = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>

/** Reads the items of one partition that a query matches, page by page. */
export async function* queryPages({ client, table }: StateTable, query: Query): AsyncGenerator<Item[]> {
  let start: Item | undefined
  do {
    const page = await orUnavailable(client.query({ ...query, TableName: table, ExclusiveStartKey: start }))
    yield page.Items ?? []
    start = page.LastEvaluatedKey
  } while (start !== undefined)
}

type Scan = Omit<ScanCommandInput, 'TableName' | 'ExclusiveStartKey' | 'ConsistentRead'>

/**
 * Reads the items of the whole table that a filter selects, page by page and consistently. For work that is
 * done once.
 */
export async function* scanPages({ client, table }: StateTable, filter: Scan): AsyncGenerator<Item[]> {
  let start: Item | undefined
  do {
    const page = await orUnavailable(
      client.scan({ ...filter, TableName: table, ConsistentRead: true, ExclusiveStartKey: start }),
    )
    yield page.Items ?? []
    start = page.LastEvaluatedKey
  } while (start !== undefined)
}

/** Reads all items of one partition that a query matches, over as many pages as they have. */
export async function queryAll(state: StateTable, query: Query): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of queryPages(state, query)) items.push(...page)
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
