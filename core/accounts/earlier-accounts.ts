import { type ItemKey, orUnavailable, type StateTable } from '#core/state-table'

/** How far the search is; `isDone`: all accounts are in the list. */
const PROGRESS_KEY = { pk: 'install', sk: 'accounts-listed' }
/** Items of all kinds that one step looks at. */
const PAGE = 1_000

/**
 * Puts the accounts of an earlier version, which had no list of all accounts, into that list. Without it the
 * daily deletion would never come to them. It looks at the whole table once in the life of an install, one
 * page for each step, because only the items themselves say which accounts exist. `listKey`: the key of an
 * account in the list.
 */
export function createEarlierAccounts({ client, table }: StateTable, listKey: (id: string) => ItemKey) {
  let isDone = false

  /**
   * Looks at the next page. Returns whether there may be more. A page that is looked at twice changes
   * nothing.
   */
  async function listNext(): Promise<boolean> {
    if (isDone) return false
    const Key = PROGRESS_KEY
    const { Item } = await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))
    isDone = Item?.isDone === true
    if (isDone) return false
    const { Items = [], LastEvaluatedKey } = await orUnavailable(
      client.scan({
        TableName: table,
        Limit: PAGE,
        ConsistentRead: true,
        ExclusiveStartKey: Item?.after,
        FilterExpression: '#entity = :account',
        // ElectroDB notes in each item which entity it is.
        ExpressionAttributeNames: { '#entity': '__edb_e__' },
        ExpressionAttributeValues: { ':account': 'account' },
      }),
    )
    for (const { id } of Items) {
      await orUnavailable(client.put({ TableName: table, Item: listKey(String(id)) }))
    }
    isDone = LastEvaluatedKey === undefined
    const progress = { ...PROGRESS_KEY, isDone, ...(LastEvaluatedKey && { after: LastEvaluatedKey }) }
    await orUnavailable(client.put({ TableName: table, Item: progress }))
    return !isDone
  }

  return { listNext }
}
