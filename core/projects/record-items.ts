import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'

export type RecordItemsOptions<T> = {
  /** The key of the record with this id; null for an id that no record has. */
  keyOf(projectId: string, id: string): ItemKey | null
  list(projectId: string): Promise<T[]>
}

/** How records that are items of their own are replaced and removed. An item has the id beside its record. */
export function createRecordItems<T extends { id: string }>(
  { client, table }: StateTable,
  { keyOf, list }: RecordItemsOptions<T>,
) {
  /** Replaces a record. Nothing happens when it is gone. */
  async function replace(projectId: string, record: T): Promise<void> {
    const Key = keyOf(projectId, record.id)
    if (Key === null) return
    await conditionHeld(
      client.update({
        TableName: table,
        Key,
        ConditionExpression: '#id = :id',
        UpdateExpression: 'SET #record = :record',
        ExpressionAttributeNames: { '#id': 'id', '#record': 'record' },
        ExpressionAttributeValues: { ':record': JSON.stringify(record), ':id': record.id },
      }),
    )
  }

  /** As replace, but only while the record is as `was`. Returns false when it has changed or is gone. */
  async function replaceUnchanged(projectId: string, was: T, record: T): Promise<boolean> {
    const Key = keyOf(projectId, record.id)
    if (Key === null) return false
    return conditionHeld(
      client.update({
        TableName: table,
        Key,
        ConditionExpression: '#record = :was',
        UpdateExpression: 'SET #record = :record',
        ExpressionAttributeNames: { '#record': 'record' },
        ExpressionAttributeValues: { ':record': JSON.stringify(record), ':was': JSON.stringify(was) },
      }),
    )
  }

  /** Returns false when the project has no such record. */
  async function remove(projectId: string, id: string): Promise<boolean> {
    const Key = keyOf(projectId, id)
    if (Key === null) return false
    return conditionHeld(
      client.delete({
        TableName: table,
        Key,
        ConditionExpression: '#id = :id',
        ExpressionAttributeNames: { '#id': 'id' },
        ExpressionAttributeValues: { ':id': id },
      }),
    )
  }

  /**
   * Replaces the records for which `change` returns another one, and removes those for which it returns null.
   */
  async function changeAll(projectId: string, change: (record: T) => T | null): Promise<void> {
    for (const record of await list(projectId)) {
      const changed = change(record)
      if (changed === null) await remove(projectId, record.id)
      else if (changed !== record) await replace(projectId, changed)
    }
  }

  return { replace, replaceUnchanged, remove, changeAll }
}
