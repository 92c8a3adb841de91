import { queryAll } from '#core/query-all'
import type { StateTable } from '#core/state-table'

export type Item = Record<string, unknown>

/** Reads all items of a partition with `from` <= sk <= `to`, consistently, in ascending order of sk. */
export function queryItems(state: StateTable, pk: string, from: string, to: string): Promise<Item[]> {
  return queryAll(state, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ConsistentRead: true,
  })
}
