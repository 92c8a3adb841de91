import QuickLRU from 'quick-lru'
import type { Now } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, midnight, utcDate } from '#core/time'
import type { Admission } from './sliding-window.ts'

/** The item of a day stays for another one, so that no clock of a process finds a day without its count. */
const KEPT_MS = 2 * DAY_MS
/** Keys that a process knows to be full; a thousand of them take some 200 KB. */
const MAX_FULL = 10_000

/**
 * Counts what a key does in a UTC day, for all processes together: one item a key and day, one atomic ADD a
 * count. `name`: part of the item's key.
 */
export function createDayCount({ client, table, clock }: StateTable & { clock: Now }, name: string) {
  /** Keys at their limit, until midnight. They are refused without a request to the table. */
  const full = new QuickLRU<string, Admission>({ maxSize: MAX_FULL })

  /** Counts one, unless the key is full. Exactly `limit` are admitted, however many come at once. */
  async function take(key: string, limit: number): Promise<Admission> {
    const known = full.get(key)
    const now = clock.now()
    if (known !== undefined && known.resetAt > now) return known
    const sum = await add(key, 1)
    const resetAt = midnight(now) + DAY_MS
    const admission = { isAdmitted: sum <= limit, limit, remaining: Math.max(0, limit - sum), resetAt }
    if (!admission.isAdmitted) full.set(key, admission)
    return admission
  }

  /** Counts what cannot be refused any more. Returns the sum of the day. */
  async function add(key: string, count: number): Promise<number> {
    const now = clock.now()
    const { Attributes } = await orUnavailable(
      client.update({
        TableName: table,
        Key: keyOf(key, now),
        UpdateExpression: 'ADD #sum :count SET #expires = :expires',
        ExpressionAttributeNames: { '#sum': 'sum', '#expires': 'expires_at' },
        ExpressionAttributeValues: { ':count': count, ':expires': Math.ceil((now + KEPT_MS) / 1_000) },
        ReturnValues: 'ALL_NEW',
      }),
    )
    return Number(Attributes?.sum)
  }

  /** The sum of this day. It may be above the limit, because what was refused counts too. */
  async function read(key: string): Promise<number> {
    const Item = await readItem({ client, table }, keyOf(key, clock.now()))
    return Number(Item?.sum ?? 0)
  }

  function keyOf(key: string, now: number) {
    return { pk: `limit#${name}#${key}`, sk: utcDate(now) }
  }

  return { take, add, read }
}
