import { orUnavailable, type StateTable } from '#core/state-table'

/** Items of one scan, so that other requests come between. */
const PAGE = 200

/**
 * Deletes the items whose time is over: on AWS the table does that itself by `expires_at` (Unix seconds), dynalite does
 * not. Readers do not rely on it. Returns the number of deleted items.
 */
export async function sweepExpired({ client, table }: StateTable, now: number): Promise<number> {
  let deleted = 0
  let start: Record<string, unknown> | undefined
  do {
    const page = await orUnavailable(
      client.scan({
        TableName: table,
        FilterExpression: 'expires_at < :now',
        ExpressionAttributeValues: { ':now': Math.floor(now / 1_000) },
        ProjectionExpression: 'pk, sk',
        Limit: PAGE,
        ExclusiveStartKey: start,
      }),
    )
    for (const { pk, sk } of page.Items ?? []) {
      await orUnavailable(client.delete({ TableName: table, Key: { pk, sk } }))
    }
    deleted += page.Items?.length ?? 0
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return deleted
}
