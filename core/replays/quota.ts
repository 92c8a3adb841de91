import type { Account } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import { NO_LIMIT, type Profile } from '#core/limits/profile'
import type { Clock } from '#core/ports'
import { queryItems } from '#core/query-all'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state-table'
import { DAY_MS, utcDate } from '#core/time'
import { REPLAY_LIMITS } from '#schemas/replays'
import { replayUsagePartition } from './item-keys.ts'

/** The days over which what came in is added up, today included. */
const DAYS = 30
const STORAGE = 'storage'

export type ReplayBytes = {
  /** Stored bytes, and what recordings that have not ended may still store. */
  committed: number
  reserved: number
  /** What came in within 30 days. */
  observed: number
}

/**
 * How many bytes the replays of an account have. A start reserves all that a replay may store, and its end
 * gives back what it has not used; so no number of uploads at once passes the limit. Each account has one
 * item of three numbers, and one number a day for 30 days.
 */
export function createReplayQuota({
  client,
  table,
  clock,
  profile,
}: StateTable & { clock: Clock; profile: Profile }) {
  /** Reserves the bytes of a new replay. Throws RATE_LIMITED when the account has no room for it. */
  async function reserve(accountId: string): Promise<void> {
    const { replay_storage_bytes, replay_ingestion_bytes } = profile
    if (replay_ingestion_bytes !== NO_LIMIT && (await readObserved(accountId)) >= replay_ingestion_bytes) {
      throw full('30 days', replay_ingestion_bytes)
    }
    const reserved = await add(accountId, { held: REPLAY_LIMITS.max_bytes }, replay_storage_bytes)
    if (!reserved) throw full('storage', replay_storage_bytes)
  }

  /**
   * Counts the bytes of a stored chunk. They are a part of what the start has reserved, unless the replay has
   * ended and has given back the rest.
   */
  async function commit(accountId: string, bytes: number, isFinished: boolean): Promise<void> {
    await Promise.all([
      add(accountId, { held: isFinished ? bytes : 0, committed: bytes }, NO_LIMIT),
      orUnavailable(
        client.update({
          TableName: table,
          Key: keyOf(accountId, utcDate(clock.now())),
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
  async function settle(accountId: string, committed: number): Promise<void> {
    await add(accountId, { held: committed - REPLAY_LIMITS.max_bytes }, NO_LIMIT)
  }

  /** Gives back the bytes of a deleted replay. */
  async function release(accountId: string, committed: number, isFinished: boolean): Promise<void> {
    const held = isFinished ? committed : REPLAY_LIMITS.max_bytes
    await add(accountId, { held: -held, committed: -committed }, NO_LIMIT)
  }

  /** Adds to the numbers of an account. Returns false if they would pass the limit. */
  async function add(
    accountId: string,
    { held = 0, committed = 0 }: { held?: number; committed?: number },
    limit: number,
  ): Promise<boolean> {
    const write = (condition: string) =>
      conditionHeld(
        client.update({
          TableName: table,
          Key: keyOf(accountId, STORAGE),
          UpdateExpression: 'ADD held_bytes :held, committed_bytes :committed, change_count :one',
          ...(condition !== '' && { ConditionExpression: condition }),
          ExpressionAttributeValues: {
            ...{ ':held': held, ':committed': committed, ':one': 1 },
            ...(condition !== '' && { ':room': limit - held }),
          },
        }),
      )
    if (limit === NO_LIMIT) return write('')
    // The first replay of an account has no item yet.
    return write(
      held <= limit ? 'attribute_not_exists(held_bytes) OR held_bytes <= :room' : 'held_bytes <= :room',
    )
  }

  async function read({ id }: Pick<Account, 'id'>): Promise<ReplayBytes> {
    const { Item } = await orUnavailable(
      client.get({ TableName: table, Key: keyOf(id, STORAGE), ConsistentRead: true }),
    )
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
   * Replaces the stored numbers by counted ones: expired replays leave by themselves, and a crash may come
   * between a chunk and its count. `count` reads all replays of the account. Returns false if the numbers
   * changed meanwhile; then the next round counts again.
   */
  async function recount(
    accountId: string,
    count: () => Promise<{ held: number; committed: number }>,
  ): Promise<boolean> {
    const Key = keyOf(accountId, STORAGE)
    const { Item } = await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))
    const counted = await count()
    if (Item === undefined) return true
    return conditionHeld(
      client.update({
        TableName: table,
        Key,
        UpdateExpression: 'SET held_bytes = :held, committed_bytes = :committed',
        ConditionExpression: 'change_count = :changes',
        ExpressionAttributeValues: {
          ':held': counted.held,
          ':committed': counted.committed,
          ':changes': Item.change_count,
        },
      }),
    )
  }

  return { reserve, commit, settle, release, read, recount }
}

export type ReplayQuota = ReturnType<typeof createReplayQuota>

function keyOf(accountId: string, sk: string): ItemKey {
  return { pk: replayUsagePartition(accountId), sk }
}

function full(what: string, limit: number): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `The account has no room for another replay: its limit of ${limit} bytes (${what}) is reached. Delete replays, or wait until old ones expire.`,
    { retryAfter: 3_600, fields: { reason: 'replay_quota' } },
  )
}
