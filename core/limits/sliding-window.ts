import QuickLRU from 'quick-lru'
import type { Clock } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'

export type WindowOptions = {
  /** Part of the item's key, such as `reads`. */
  name: string
  windowMs: number
}

/** What a caller may still do. */
export type Admission = {
  isAdmitted: boolean
  limit: number
  remaining: number
  /** Unix ms: when the next request is admitted, or, with some remaining, when all are again. */
  resetAt: number
}

const SLOTS = 60
const MAX_BLOCKED = 10_000
/** A refused request takes its count back; how often that is tried before it is left to expire. */
const UNDO_TRIES = 2

/**
 * Counts what a key does in the last `windowMs`, for all processes together: one item a key, one atomic ADD a
 * request, with an attribute for each sixtieth of the window. The ADD returns the item, so its sum decides:
 * however many requests come at once, exactly `limit` of them are admitted in any window. Libraries such as
 * rate-limiter-flexible want a table of their own and count in fixed windows.
 */
export function createSlidingWindow(
  { client, table, clock }: StateTable & { clock: Clock },
  { name, windowMs }: WindowOptions,
) {
  const slotMs = windowMs / SLOTS
  /**
   * Keys at their limit, until their oldest count leaves the window. Their requests are refused without a
   * request to the table.
   */
  const blocked = new QuickLRU<string, Admission>({ maxSize: MAX_BLOCKED })

  /** Counts one request, unless the key is full. */
  async function take(key: string, limit: number): Promise<Admission> {
    const known = blockedNow(key)
    if (known !== null) return known
    const slot = slotOf(clock.now())
    const item = await add(key, slot, 1)
    const admission = judge(item, slot, limit)
    if (!admission.isAdmitted) {
      blocked.set(key, admission)
      await undo(key, slot)
    }
    await dropOldSlots(key, item, slot)
    return admission
  }

  /** Counts requests that were admitted without asking. The window may get more than full. */
  async function record(key: string, limit: number, count: number): Promise<Admission> {
    const slot = slotOf(clock.now())
    const item = await add(key, slot, count)
    await dropOldSlots(key, item, slot)
    return judge(item, slot, limit)
  }

  /** Whether the key is full already; counts nothing. */
  async function peek(key: string, limit: number): Promise<Admission> {
    const known = blockedNow(key)
    if (known !== null) return known
    const Item = (await readItem({ client, table }, keyOf(key))) ?? {}
    const slot = slotOf(clock.now())
    const admission = judge({ ...Item, [`s${slot}`]: Number(Item[`s${slot}`] ?? 0) + 1 }, slot, limit)
    if (!admission.isAdmitted) blocked.set(key, admission)
    return admission
  }

  function blockedNow(key: string): Admission | null {
    const known = blocked.get(key)
    return known !== undefined && known.resetAt > clock.now() ? known : null
  }

  async function add(key: string, slot: number, count: number): Promise<Record<string, unknown>> {
    const expires_at = Math.ceil(((slot + 2 * SLOTS) * slotMs) / 1_000)
    const { Attributes = {} } = await orUnavailable(
      client.update({
        TableName: table,
        Key: keyOf(key),
        UpdateExpression: 'ADD #slot :count SET #expires = :expires',
        ExpressionAttributeNames: { '#slot': `s${slot}`, '#expires': 'expires_at' },
        ExpressionAttributeValues: { ':count': count, ':expires': expires_at },
        ReturnValues: 'ALL_NEW',
      }),
    )
    return Attributes
  }

  /** A count that cannot be taken back only makes the window stricter until it expires. */
  async function undo(key: string, slot: number): Promise<void> {
    for (let tries = 0; tries < UNDO_TRIES; tries++) {
      try {
        await add(key, slot, -1)
        return
      } catch {
        await clock.sleep(10)
      }
    }
  }

  function judge(item: Record<string, unknown>, slot: number, limit: number): Admission {
    const counts = slotsOf(item).filter(([at]) => at >= slot - SLOTS)
    const sum = counts.reduce((total, [, count]) => total + count, 0)
    const remaining = Math.max(0, limit - sum)
    const newest = counts.at(-1)?.[0] ?? slot
    // The window is free again one slot after a whole window: a slot counts until nothing of it can be
    // inside.
    const leaves = (at: number) => Math.ceil((at + SLOTS + 1) * slotMs)
    if (sum <= limit) return { isAdmitted: true, limit, remaining, resetAt: leaves(newest) }
    let excess = sum - limit
    const frees = counts.find(([, count]) => {
      excess -= count
      return excess <= 0
    })
    return { isAdmitted: false, limit, remaining: 0, resetAt: leaves(frees?.[0] ?? slot) }
  }

  /** Keeps the item small: once a window's length of old slots has gathered, they go. */
  async function dropOldSlots(key: string, item: Record<string, unknown>, slot: number): Promise<void> {
    const old = slotsOf(item).filter(([at]) => at < slot - SLOTS)
    if (old.length < SLOTS) return
    await orUnavailable(
      client.update({
        TableName: table,
        Key: keyOf(key),
        UpdateExpression: `REMOVE ${old.map((_, i) => `#s${i}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(old.map(([at], i) => [`#s${i}`, `s${at}`])),
      }),
    )
  }

  function slotOf(ms: number): number {
    return Math.floor(ms / slotMs)
  }

  function keyOf(key: string) {
    return { pk: `limit#${name}#${key}`, sk: 'window' }
  }

  return { take, record, peek }
}

export type SlidingWindow = ReturnType<typeof createSlidingWindow>

/** Slots with their counts, oldest first. */
function slotsOf(item: Record<string, unknown>): [slot: number, count: number][] {
  return Object.entries(item)
    .filter(([name]) => /^s\d+$/.test(name))
    .map(([name, count]): [number, number] => [Number(name.slice(1)), Number(count)])
    .toSorted(([a], [b]) => a - b)
}
