import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { writeItems } from '#core/write-items'

type Key = { pk: string; sk: string }

/** Items that one page of the whole table reads. A page is short, because requests wait for it. */
const PAGE_ITEMS = 50
const PAGE_PAUSE_MS = 20

/**
 * Deletes the items whose `expires_at` has passed, as DynamoDB does on AWS; dynalite never does. Items that are written every
 * second are noted with their keys. The others, and those of an earlier process, are found by reading the whole table.
 */
export function createExpiredItems({ client, table }: StateTable, clock: Clock) {
  /** In the order in which they were written, which is the order in which they expire. Nothing gives them more time. */
  let noted: { key: Key; expiresAt: number }[] = []

  function note(key: Key, expiresAt: number): void {
    noted.push({ key, expiresAt })
  }

  /** Deletes the noted items that have expired. */
  async function deleteNoted(): Promise<void> {
    const now = seconds()
    const firstLive = noted.findIndex(({ expiresAt }) => expiresAt >= now)
    const expired = noted.slice(0, firstLive === -1 ? noted.length : firstLive)
    await writeItems(
      { client, table },
      expired.map(({ key }) => ({ DeleteRequest: { Key: key } })),
    )
    noted = noted.slice(expired.length)
  }

  /** Deletes every expired item of the table. Takes its time, so that requests hardly notice it. */
  async function deleteAll(signal: AbortSignal): Promise<void> {
    let start: Record<string, unknown> | undefined
    do {
      const now = seconds()
      const page = await orUnavailable(
        client.scan({
          TableName: table,
          ProjectionExpression: 'pk, sk',
          FilterExpression: 'expires_at < :now',
          ExpressionAttributeValues: { ':now': now },
          Limit: PAGE_ITEMS,
          ExclusiveStartKey: start,
        }),
      )
      for (const { pk, sk } of page.Items ?? []) await remove({ pk, sk }, now)
      start = page.LastEvaluatedKey
      await sleep(PAGE_PAUSE_MS, undefined, { signal }).catch(() => {})
    } while (start !== undefined && !signal.aborted)
  }

  /** Deletes an item, unless another process has given it more time. */
  async function remove(Key: Key, now: number): Promise<void> {
    await conditionHeld(
      client.delete({
        TableName: table,
        Key,
        ConditionExpression: 'expires_at < :now',
        ExpressionAttributeValues: { ':now': now },
      }),
    )
  }

  function seconds(): number {
    return Math.floor(clock.now() / 1_000)
  }

  return { note, deleteNoted, deleteAll }
}

export type ExpiredItems = ReturnType<typeof createExpiredItems>
