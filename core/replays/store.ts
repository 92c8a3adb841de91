import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Now } from '#core/ports'
import { queryItems, queryPages } from '#core/state/query-all'
import { readItem, readItems } from '#core/state/read-items'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import type { Range } from '#core/time'
import { REPLAY_LIMITS } from '#schemas/replays'
import type { PackedChunk } from './chunk.ts'
import { replayPartition, replayUserPartition } from './item-keys.ts'
import {
  beforeReadable,
  beforeStart,
  expiryOf,
  isExpired,
  isReplayId,
  type Replay,
  type StoredChunk,
} from './replay.ts'
import { toReplay } from './replay-item.ts'

/** What a start says of a replay. */
export type NewReplay = Pick<
  Replay,
  'id' | 'project_id' | 'account_id' | 'session_id' | 'page' | 'started_at' | 'created_at'
> & { user_id: string | null }

/** Replays of one session. A replay has up to 15 minutes, so this is half a day of one session. */
export const MAX_OF_SESSION = 50

/**
 * Replays in the state. A replay is one item under its project, with one attribute for each chunk: at most
 * MAX_CHUNKS of about 120 bytes, and as many ids of its visitor. A second item leads from its id to the
 * project, an item of each session names its replays, and an item for each user of a replay leads to it. All
 * of them expire with the replay (U92): what deletes replays finds expired ones too, and no other read does.
 */
export function createReplayStore({ client, table, clock }: StateTable & { clock: Now }) {
  /** Returns false if the replay is there already, or if its session has too many. */
  async function create(replay: NewReplay): Promise<boolean> {
    const { id, project_id, session_id, user_id, page, ...others } = replay
    const expires_at = expiryOf(replay.started_at)
    if (!(await hasRoom(replay))) return false
    const pointer = { ...pointerOf(id), project_id, expires_at }
    await orUnavailable(client.put({ TableName: table, Item: pointer }))
    if (user_id !== null) await addToUser(replay, user_id)
    await addToSession(replay, expires_at)
    const Item = {
      ...keyOf(project_id, id),
      ...others,
      ...{ id, project_id, session_id, expires_at, touched_at: replay.created_at },
      ...(user_id !== null && { user_ids: new Set([user_id]) }),
      ...(page !== null && { page }),
      committed_bytes: 0,
      event_count: 0,
    }
    const ConditionExpression = 'attribute_not_exists(pk)'
    return conditionHeld(client.put({ TableName: table, Item, ConditionExpression }))
  }

  async function hasRoom({ id, project_id, session_id }: NewReplay): Promise<boolean> {
    const known = await readSessionIds(project_id, [session_id])
    const ids = known.get(session_id) ?? []
    return ids.includes(id) || ids.length < MAX_OF_SESSION
  }

  /** Names the replay in the item of its session. A repetition changes nothing. */
  async function addToSession({ id, project_id, session_id }: NewReplay, expires_at: number): Promise<void> {
    const added = client.update({
      TableName: table,
      Key: sessionKey(project_id, session_id),
      UpdateExpression: 'ADD replay_ids :ids SET session_id = :session, expires_at = :expiry',
      ExpressionAttributeValues: { ':ids': new Set([id]), ':session': session_id, ':expiry': expires_at },
    })
    await orUnavailable(added)
  }

  /**
   * Names the replay among those of a user, before the replay names the user: so the erasure of a person
   * finds it. A repetition changes nothing.
   */
  async function addToUser(
    { id, project_id, started_at }: Pick<Replay, 'id' | 'project_id' | 'started_at'>,
    userId: string,
  ): Promise<void> {
    const Item = { pk: replayUserPartition(project_id, userId), sk: id, expires_at: expiryOf(started_at) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  /** The replays in which a user has sent something, expired ones included: their objects may be there. */
  async function ofUser(projectId: string, userId: string): Promise<Replay[]> {
    const items = await queryItems({ client, table }, replayUserPartition(projectId, userId), 'rpl_', 'rpl_~')
    const keys = items.map(({ sk }) => keyOf(projectId, String(sk)))
    return (await readItems({ client, table }, keys)).map(toReplay)
  }

  /** Returns the replay of an id, whatever its project, or null. */
  async function byId(id: string): Promise<Replay | null> {
    if (!isReplayId(id) || isExpired(id, clock.now())) return null
    const Item = await readItem({ client, table }, pointerOf(id))
    return Item === undefined ? null : ofProject(String(Item.project_id), id)
  }

  async function ofProject(projectId: string, id: string): Promise<Replay | null> {
    if (isExpired(id, clock.now())) return null
    const Item = await readItem({ client, table }, keyOf(projectId, id))
    return Item === undefined ? null : toReplay(Item)
  }

  /**
   * Adds a chunk, unless the replay has one of its index, or no room for it, or is removed: then it returns
   * false. One conditional write, so that two copies of a chunk count once and no replay gets too large.
   */
  async function addChunk(
    replay: Pick<Replay, 'project_id' | 'id' | 'started_at' | 'user_ids'>,
    chunk: StoredChunk & Pick<PackedChunk, 'has_full_snapshot'>,
    { userId, now }: { userId: string | undefined; now: number },
  ): Promise<boolean> {
    const { project_id, id, user_ids } = replay
    if (userId && !user_ids.includes(userId)) await addToUser(replay, userId)
    const { index, has_full_snapshot, ...stored } = chunk
    const added = ['committed_bytes :bytes', 'event_count :events', ...(userId ? ['user_ids :users'] : [])]
    const set = ['#chunk = :chunk', 'touched_at = :now', ...(has_full_snapshot ? ['has_full = :true'] : [])]
    return conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(project_id, id),
        UpdateExpression: `ADD ${added.join(', ')} SET ${set.join(', ')}`,
        ConditionExpression:
          'attribute_exists(pk) AND attribute_not_exists(is_removed) AND attribute_not_exists(#chunk) AND committed_bytes <= :room',
        ExpressionAttributeNames: { '#chunk': `c${index}` },
        ExpressionAttributeValues: {
          ':bytes': chunk.bytes,
          ':events': chunk.event_count,
          ':chunk': stored,
          ':now': now,
          ':room': REPLAY_LIMITS.max_bytes - chunk.bytes,
          ...(userId && { ':users': new Set([userId]) }),
          ...(has_full_snapshot && { ':true': true }),
        },
      }),
    )
  }

  /** Notes that the recorder has ended. Returns false if it had ended before, or if the replay is gone. */
  function finish({ project_id, id }: Pick<Replay, 'project_id' | 'id'>, chunks: number): Promise<boolean> {
    return conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(project_id, id),
        UpdateExpression: 'SET finished_chunks = :chunks',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(finished_chunks)',
        ExpressionAttributeValues: { ':chunks': chunks },
      } satisfies UpdateCommandInput),
    )
  }

  /** Notes that the page was left. Requests may come late, so the number of chunks only grows. */
  async function leave({ project_id, id }: Pick<Replay, 'project_id' | 'id'>, chunks: number): Promise<void> {
    await conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(project_id, id),
        UpdateExpression: 'SET left_chunks = :chunks',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(left_chunks) OR left_chunks < :chunks)',
        ExpressionAttributeValues: { ':chunks': chunks },
      } satisfies UpdateCommandInput),
    )
  }

  /**
   * The replays of a project, newest first, in pages of at most `pageSize`; `before`, `after`: only those
   * older or newer than the replay of this id. With an empty `after` they include expired ones.
   */
  async function* pages(
    projectId: string,
    pageSize: number,
    {
      before,
      after = beforeReadable(clock.now()),
    }: { before?: string | undefined; after?: string | undefined } = {},
  ): AsyncGenerator<Replay[]> {
    const first = after || 'rpl_'
    const last = before ?? 'rpl_~'
    // DynamoDB refuses such a range. `before` may be the id of a replay that has expired.
    if (last < first) return
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': replayPartition(projectId),
        ':first': first,
        ':last': last,
      },
      ScanIndexForward: false,
      Limit: pageSize + 1,
      ConsistentRead: true,
    }
    for await (const items of queryPages({ client, table }, query)) {
      yield items.map(toReplay).filter(({ id }) => id !== before && id !== after)
    }
  }

  /**
   * The sessions of the newest replays that began in a range, newest first, with the start of each, Unix ms;
   * at most `limit`. An item has some kilobytes of chunks, so the table sends two of its attributes alone.
   */
  async function sessionsOfRange(
    projectId: string,
    { from, to }: Range,
    limit: number,
  ): Promise<{ session_id: string; started_at: number }[]> {
    const first = [beforeStart(from), beforeReadable(clock.now())].toSorted().at(-1) as string
    const last = beforeStart(to)
    if (last < first) return []
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': replayPartition(projectId), ':first': first, ':last': last },
      ProjectionExpression: 'session_id, started_at',
      ScanIndexForward: false,
      Limit: limit,
    }
    const found: { session_id: string; started_at: number }[] = []
    for await (const items of queryPages({ client, table }, query)) {
      found.push(
        ...items.map(item => ({ session_id: String(item.session_id), started_at: Number(item.started_at) })),
      )
      if (found.length >= limit) break
    }
    return found.slice(0, limit)
  }

  /** How many replays each of these sessions has. A session without replays is missing. */
  async function countOfSessions(
    projectId: string,
    sessionIds: readonly string[],
  ): Promise<Map<string, number>> {
    const ids = await readSessionIds(projectId, sessionIds)
    return new Map([...ids].map(([session, replays]) => [session, replays.length]))
  }

  /** The replays of a session, newest first. */
  async function ofSession(projectId: string, sessionId: string): Promise<Replay[]> {
    const ids = (await readSessionIds(projectId, [sessionId])).get(sessionId) ?? []
    const items = await readItems(
      { client, table },
      ids.map(id => keyOf(projectId, id)),
    )
    return items.map(toReplay).toSorted((a, b) => (a.id < b.id ? 1 : -1))
  }

  async function readSessionIds(
    projectId: string,
    sessionIds: readonly string[],
  ): Promise<Map<string, string[]>> {
    const keys = [...new Set(sessionIds)].map(id => sessionKey(projectId, id))
    const items = await readItems({ client, table }, keys)
    const now = clock.now()
    return new Map(
      items.flatMap(({ session_id, replay_ids }) => {
        const ids = [...((replay_ids as Set<string> | undefined) ?? [])].filter(id => !isExpired(id, now))
        return ids.length === 0 ? [] : [[String(session_id), ids]]
      }),
    )
  }

  /**
   * Marks a replay as removed, so that it takes no more chunks. It can be read until `remove`. Returns false
   * if it does not exist.
   */
  function markRemoved({ project_id, id }: Pick<Replay, 'project_id' | 'id'>): Promise<boolean> {
    return conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(project_id, id),
        UpdateExpression: 'SET is_removed = :true',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':true': true },
      } satisfies UpdateCommandInput),
    )
  }

  /** Deletes the items of a replay. Returns the replay as it was just before, or null if it did not exist. */
  async function remove({ project_id, id, session_id, user_ids }: Replay): Promise<Replay | null> {
    const withdrawal = client.update({
      TableName: table,
      Key: sessionKey(project_id, session_id),
      UpdateExpression: 'DELETE replay_ids :ids',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':ids': new Set([id]) },
    })
    await conditionHeld(withdrawal)
    const removal = client.delete({
      TableName: table,
      Key: keyOf(project_id, id),
      ReturnValues: 'ALL_OLD',
    })
    const { Attributes } = await orUnavailable(removal)
    const removed = Attributes === undefined ? null : toReplay(Attributes)
    const users = removed?.user_ids ?? user_ids
    const others = users.map(user => ({ pk: replayUserPartition(project_id, user), sk: id }))
    for (const Key of [pointerOf(id), ...others])
      await orUnavailable(client.delete({ TableName: table, Key }))
    return removed
  }

  return {
    create,
    byId,
    ofProject,
    addChunk,
    finish,
    leave,
    pages,
    sessionsOfRange,
    countOfSessions,
    ofSession,
    ofUser,
    markRemoved,
    remove,
  }
}

export type ReplayStore = ReturnType<typeof createReplayStore>

function keyOf(projectId: string, id: string): ItemKey {
  return { pk: replayPartition(projectId), sk: id }
}

function pointerOf(id: string): ItemKey {
  return { pk: `replay#${id}`, sk: 'replay' }
}

function sessionKey(projectId: string, sessionId: string): ItemKey {
  return { pk: `replaysession#${projectId}#${sessionId}`, sk: 'replays' }
}
