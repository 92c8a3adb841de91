import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { NO_LIMIT, type Profile } from '#core/plans/profile'
import { limitExtras } from '#core/plans/rate-limited'
import type { Now } from '#core/ports'
import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import { REPLAY_LIMITS } from '#schemas/replays'
import { replayUsagePartition } from './item-keys.ts'
import { expiryOf, type Replay } from './replay.ts'

/** The days over which what came in is added up, today included. */
const DAYS = 30
const STORAGE = 'storage'
/** No recording goes on for so long, ms: uploads of a replay are taken for a day after its start. */
const OPEN_MS = 2 * DAY_MS
const RETRY_MS = 3_600_000

/** The account of a replay and its start, Unix ms. */
type Start = Pick<Replay, 'account_id' | 'started_at'>
type Bytes = { held: number; committed: number }

export type ReplayBytes = {
  /** Stored bytes, and what recordings that have not ended may still store. */
  committed: number
  reserved: number
  /** What came in within 30 days. */
  observed: number
}

/**
 * How many bytes the replays of an account have. A start reserves all that a replay may store, and its end
 * gives back what it has not used; so no number of uploads at once passes the limit.
 *
 * An account has one item with its sums, one item a day with what came in, and one with the bytes of the
 * replays that began on that day. The last kind goes with these replays, which expire by themselves, and
 * `recount` makes the sums from it: about 30 items, however many replays there are.
 */
export function createReplayQuota({
  client,
  table,
  clock,
  profile,
}: StateTable & { clock: Now; profile: Profile }) {
  /** Reserves the bytes of a new replay. Throws RATE_LIMITED when the account has no room for it. */
  async function reserve(start: Start): Promise<void> {
    const { account_id: accountId } = start
    const { replay_storage_bytes, replay_ingestion_bytes } = profile
    if (replay_ingestion_bytes !== NO_LIMIT && (await readObserved(accountId)) >= replay_ingestion_bytes) {
      throw full('30 days', replay_ingestion_bytes, clock.now())
    }
    const reserved = await add(start, { held: REPLAY_LIMITS.max_bytes }, replay_storage_bytes)
    if (!reserved) throw full('storage', replay_storage_bytes, clock.now())
  }

  /**
   * Counts the bytes of a stored chunk. They are a part of what the start has reserved, unless the replay has
   * ended and has given back the rest.
   */
  async function commit(start: Start, bytes: number, isFinished: boolean): Promise<void> {
    await Promise.all([
      add(start, { held: isFinished ? bytes : 0, committed: bytes }, NO_LIMIT),
      orUnavailable(
        client.update({
          TableName: table,
          Key: keyOf(start.account_id, utcDate(clock.now())),
          UpdateExpression: 'ADD observed_bytes :bytes SET expires_at = :expiry',
          ExpressionAttributeValues: {
            ':bytes': bytes,
            ':expiry': Math.floor((clock.now() + (DAYS + 2) * DAY_MS) / 1_000),
          },
        }),
      ),
    ])
  }

  /** Gives back what a replay has reserved and not used, when it has ended. */
  async function settle(start: Start, committed: number): Promise<void> {
    await add(start, { held: committed - REPLAY_LIMITS.max_bytes }, NO_LIMIT)
  }

  /** Gives back the bytes of a deleted replay. */
  async function release(start: Start, committed: number, isFinished: boolean): Promise<void> {
    const held = isFinished ? committed : REPLAY_LIMITS.max_bytes
    await add(start, { held: -held, committed: -committed }, NO_LIMIT)
  }

  /**
   * Adds to the sums of an account, then to those of the day. Returns false if the sums would pass the limit.
   */
  async function add(
    { account_id, started_at }: Start,
    { held = 0, committed = 0 }: Partial<Bytes>,
    limit: number,
  ): Promise<boolean> {
    const values = { ':held': held, ':committed': committed }
    // The first replay of an account has no item yet.
    const isFirst = held <= limit ? 'attribute_not_exists(held_bytes) OR ' : ''
    const isAdded = await conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(account_id, STORAGE),
        UpdateExpression: 'ADD held_bytes :held, committed_bytes :committed, change_count :one',
        ...(limit !== NO_LIMIT && { ConditionExpression: `${isFirst}held_bytes <= :room` }),
        ExpressionAttributeValues: {
          ...values,
          ':one': 1,
          ...(limit !== NO_LIMIT && { ':room': limit - held }),
        },
      }),
    )
    if (!isAdded) return false
    const day = client.update({
      TableName: table,
      Key: keyOf(account_id, dayKey(started_at)),
      UpdateExpression: 'ADD held_bytes :held, committed_bytes :committed SET expires_at = :expiry',
      ExpressionAttributeValues: { ...values, ':expiry': expiryOf(started_at + DAY_MS) },
    })
    await orUnavailable(day)
    return true
  }

  async function read({ id }: Pick<Account, 'id'>): Promise<ReplayBytes> {
    const Item = await readItem({ client, table }, keyOf(id, STORAGE))
    const committed = Number(Item?.committed_bytes ?? 0)
    const reserved = Math.max(0, Number(Item?.held_bytes ?? 0) - committed)
    return { committed, reserved, observed: await readObserved(id) }
  }

  async function readObserved(accountId: string): Promise<number> {
    const first = utcDate(clock.now() - (DAYS - 1) * DAY_MS)
    const items = await queryItems(
      { client, table },
      replayUsagePartition(accountId),
      first,
      utcDate(clock.now()),
    )
    return items.reduce((sum, item) => sum + Number(item.observed_bytes ?? 0), 0)
  }

  /**
   * Makes the sums anew from those of the days: replays expire by themselves, a recorder may never say that
   * it has ended, and a crash may come between the two. Returns false if the sums changed meanwhile; then the
   * next round counts again.
   */
  async function recount(accountId: string): Promise<boolean> {
    const Key = keyOf(accountId, STORAGE)
    const Item = await readItem({ client, table }, Key)
    if (Item === undefined) return true
    const sums = await addDays(accountId)
    return conditionHeld(
      client.update({
        TableName: table,
        Key,
        UpdateExpression: 'SET held_bytes = :held, committed_bytes = :committed',
        ConditionExpression: 'change_count = :changes',
        ExpressionAttributeValues: {
          ':held': sums.held,
          ':committed': sums.committed,
          ':changes': Item.change_count,
        },
      }),
    )
  }

  /** What the replays of all days hold that have not expired. A replay of an old day has ended. */
  async function addDays(accountId: string): Promise<Bytes> {
    const now = clock.now()
    const first = dayKey(now - REPLAY_LIMITS.retention_days * DAY_MS)
    const days = await queryItems(
      { client, table },
      replayUsagePartition(accountId),
      first,
      dayKey(now + DAY_MS),
    )
    const open = dayKey(now - OPEN_MS)
    const sums = { held: 0, committed: 0 }
    for (const { sk, held_bytes, committed_bytes } of days) {
      sums.committed += Number(committed_bytes)
      sums.held += Number(String(sk) < open ? committed_bytes : held_bytes)
    }
    return sums
  }

  return { reserve, commit, settle, release, read, recount }
}

export type ReplayQuota = ReturnType<typeof createReplayQuota>

function keyOf(accountId: string, sk: string): ItemKey {
  return { pk: replayUsagePartition(accountId), sk }
}

/** The item of the replays that began on the UTC day of this time, Unix ms. */
function dayKey(at: number): string {
  return `began#${utcDate(at)}`
}

/** Replays expire all the time, so nobody knows when there is room. A client asks again after an hour. */
function full(what: string, limit: number, now: number): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `The account has no room for another replay: its limit of ${limit} bytes (${what}) is reached. Delete replays, or wait until old ones expire.`,
    limitExtras({ limit, remaining: 0, resetAt: now + RETRY_MS }, now, { reason: 'replay_quota' }),
  )
}
