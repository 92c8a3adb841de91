import { orUnavailable, type StateTable } from '#core/state-table'

export type Item = Record<string, unknown>

/** Reads all items of a partition with `from` <= sk <= `to`, consistently, in ascending order of sk. */
export async function queryItems(
  { client, table }: StateTable,
  pk: string,
  from: string,
  to: string,
): Promise<Item[]> {
  const items: Item[] = []
  let start: Item | undefined
  do {
    const page = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    )
    items.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return items
}
