import { randomBytes } from 'node:crypto'
import { queryAll } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'
import { createRecordItems } from './record-items.ts'

export type BoundedRecordsOptions = {
  /** The partition of a project's records. */
  partitionOf(projectId: string): string
  /** The ids begin with it: `view` makes `view_…`. */
  prefix: string
  /** How many records a project has at most. */
  max: number
}

/** How often a record looks for a place after others have taken it at the same time. */
const MAX_TRIES = 8

/**
 * A short list of records of a project, or of an account. Each record has one of `max` numbered places, which
 * it takes with a conditional write. So the bound holds however many requests come at once, and no item
 * grows. The place is part of the id, so an id is found with one read.
 */
export function createBoundedRecords<T extends object>(
  { client, table }: StateTable,
  { partitionOf, prefix, max }: BoundedRecordsOptions,
) {
  const form = new RegExp(`^${prefix}_([0-9a-f]{${digitsOf(max)}})[0-9a-f]{14}$`)

  const places = Array.from({ length: max }, (_, i) => i.toString(16).padStart(digitsOf(max), '0'))

  async function list(projectId: string): Promise<(T & { id: string })[]> {
    const items = await queryAll({ client, table }, queryOf(projectId))
    return items.map(item => JSON.parse(String(item.record)) as T & { id: string })
  }

  /** The places that are free now. */
  async function freePlaces(projectId: string): Promise<string[]> {
    const query = { ...queryOf(projectId), ProjectionExpression: 'sk' }
    const taken = new Set((await queryAll({ client, table }, query)).map(({ sk }) => sk))
    return places.filter(place => !taken.has(place))
  }

  function queryOf(projectId: string) {
    return {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partitionOf(projectId) },
      ConsistentRead: true,
    }
  }

  /** Returns the record with its id, or null if the project has `max` of them. */
  async function add(projectId: string, record: T): Promise<(T & { id: string }) | null> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Most places are free, so the first try reads none of them.
      const free = tries === 0 ? places : await freePlaces(projectId)
      // Requests at the same time rarely choose the same place of several.
      const place = free[Math.floor(Math.random() * free.length)]
      if (place === undefined) return null
      const added = { ...record, id: `${prefix}_${place}${randomBytes(7).toString('hex')}` }
      const put = client.put({
        TableName: table,
        Item: { pk: partitionOf(projectId), sk: place, id: added.id, record: JSON.stringify(added) },
        ConditionExpression: 'attribute_not_exists(pk)',
      })
      if (await conditionHeld(put)) return added
    }
    return null
  }

  async function find(projectId: string, id: string): Promise<(T & { id: string }) | null> {
    const Key = keyOf(projectId, id)
    if (Key === null) return null
    const Item = await readItem({ client, table }, Key)
    return Item?.id === id ? JSON.parse(String(Item.record)) : null
  }

  function keyOf(projectId: string, id: string): ItemKey | null {
    const place = form.exec(id)?.[1]
    return place === undefined ? null : { pk: partitionOf(projectId), sk: place }
  }

  return { list, add, find, ...createRecordItems<T & { id: string }>({ client, table }, { keyOf, list }) }
}

/** Digits of the number of a place, hexadecimal. */
function digitsOf(max: number): number {
  return (max - 1).toString(16).length
}
