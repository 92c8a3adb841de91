import { ApiError, unavailable } from '#core/errors'
import { queryAll } from '#core/state/query-all'
import { readItem, readItems } from '#core/state/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'
import type { Condition } from '#schemas/conditions'
import { MAX_SEGMENTS, type StoredSegment } from '#schemas/segments'
import { etagOf, isMatch } from './etag.ts'

export const segmentsPartition = (projectId: string) => `segments#${projectId}`

/** How often a write begins again because another one has come between its look and its write. */
const MAX_TRIES = 20

/** A segment and the name of its version, which a PUT or DELETE may demand. */
export type Segment = StoredSegment & { etag: string }

/**
 * Segments: conditions of a project with a name (docs/api/segments.md). Each is one item of at most 9 KB,
 * keyed by its name; a project has at most 100.
 */
export function createSegments({ client, table }: StateTable) {
  /** By name. */
  async function list(projectId: string): Promise<Segment[]> {
    const items = await queryAll({ client, table }, queryOf(projectId))
    return items.map(item => toSegment(String(item.record)))
  }

  async function find(projectId: string, name: string): Promise<Segment | null> {
    const text = await readText(keyOf(projectId, name))
    return text === null ? null : toSegment(text)
  }

  /** The conditions of those of the named segments that exist. */
  async function conditionsOf(
    projectId: string,
    names: readonly string[],
  ): Promise<Record<string, Condition>> {
    if (names.length === 0) return {}
    const items = await readItems(
      { client, table },
      names.map(name => keyOf(projectId, name)),
    )
    const found = items.map(item => toSegment(String(item.record)))
    return Object.fromEntries(found.map(({ name, where }) => [name, where]))
  }

  /**
   * Creates or replaces a segment. Returns null if it is new and the project has as many as it may have. Each
   * new one is counted after it was written, and removed again if it is one too many. So the bound holds
   * however many requests come at once; of those that take the last places at the same time, some are refused
   * while a place is left. Throws PRECONDITION_FAILED if the segment has another version than `ifMatch`
   * names, or does not exist.
   */
  async function put(
    projectId: string,
    { name, title, where, updated_at }: StoredSegment,
    ifMatch?: string,
  ): Promise<{ segment: Segment; isNew: boolean } | null> {
    const record = JSON.stringify({ name, title, where, updated_at })
    const before = await changeText(keyOf(projectId, name), text => {
      requireMatch(ifMatch, text)
      return record
    })
    const isNew = before === null
    if (isNew && (await count(projectId)) > MAX_SEGMENTS) {
      await removeText(keyOf(projectId, name), record)
      return null
    }
    return { segment: toSegment(record), isNew }
  }

  /** Returns false when the project has no such segment. Throws PRECONDITION_FAILED as `put` does. */
  async function remove(projectId: string, name: string, ifMatch?: string): Promise<boolean> {
    const before = await changeText(keyOf(projectId, name), text => {
      if (text !== null) requireMatch(ifMatch, text)
      return null
    })
    return before !== null
  }

  /**
   * Replaces the segments for which `change` returns another one, and removes those for which it returns
   * null, also while a PUT runs: what another request has changed meanwhile is read again.
   */
  async function changeAll(
    projectId: string,
    change: (segment: StoredSegment) => StoredSegment | null,
  ): Promise<void> {
    for (const { name } of await list(projectId))
      await changeText(keyOf(projectId, name), text => {
        if (text === null) return null
        const stored = JSON.parse(text) as StoredSegment
        const changed = change(stored)
        return changed === stored ? text : changed && JSON.stringify(changed)
      })
  }

  /**
   * Writes what `change` makes of the text of an item (null: none), or deletes the item where it makes null.
   * Begins again when another request was faster. Returns the text before.
   */
  async function changeText(
    Key: ItemKey,
    change: (before: string | null) => string | null,
  ): Promise<string | null> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await readText(Key)
      const after = change(before)
      if (after === before) return before
      const write = after === null ? removeText(Key, before as string) : writeText(Key, before, after)
      if (await write) return before
    }
    throw unavailable('Many requests change this segment now. Send the same request again in a second.', 1)
  }

  /** Writes over the text that was read, never over another one; null: over nothing. */
  function writeText(Key: ItemKey, before: string | null, record: string): Promise<boolean> {
    const isUnchanged =
      before === null
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : {
            ConditionExpression: '#record = :before',
            ExpressionAttributeNames: { '#record': 'record' },
            ExpressionAttributeValues: { ':before': before },
          }
    return conditionHeld(client.put({ TableName: table, Item: { ...Key, record }, ...isUnchanged }))
  }

  function removeText(Key: ItemKey, record: string): Promise<boolean> {
    return conditionHeld(
      client.delete({
        TableName: table,
        Key,
        ConditionExpression: '#record = :record',
        ExpressionAttributeNames: { '#record': 'record' },
        ExpressionAttributeValues: { ':record': record },
      }),
    )
  }

  async function readText(Key: ItemKey): Promise<string | null> {
    const Item = await readItem({ client, table }, Key)
    return Item === undefined ? null : String(Item.record)
  }

  async function count(projectId: string): Promise<number> {
    const query = { ...queryOf(projectId), ProjectionExpression: 'sk' }
    return (await queryAll({ client, table }, query)).length
  }

  function queryOf(projectId: string) {
    return {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': segmentsPartition(projectId) },
      ConsistentRead: true,
    }
  }

  return { list, find, conditionsOf, put, remove, changeAll }
}

export type Segments = ReturnType<typeof createSegments>

function keyOf(projectId: string, name: string): ItemKey {
  return { pk: segmentsPartition(projectId), sk: name }
}

function toSegment(text: string): Segment {
  return { ...(JSON.parse(text) as StoredSegment), etag: etagOfText(text) }
}

/** The time of a change is no part of the version: an equal PUT changes nothing. */
function etagOfText(text: string): string {
  const { title, where } = JSON.parse(text) as StoredSegment
  return etagOf({ title, where })
}

/** Throws PRECONDITION_FAILED if the item has another version than the header names; null: no item. */
function requireMatch(ifMatch: string | undefined, text: string | null): void {
  if (!isMatch(ifMatch, text === null ? null : etagOfText(text))) throw new ApiError('PRECONDITION_FAILED')
}
