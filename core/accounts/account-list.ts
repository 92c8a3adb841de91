import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'

/** One partition for the ids of all accounts. */
const LIST = 'accounts'
const PAGE = 25

/** The list of the ids of all accounts. */
export function createAccountList(state: StateTable) {
  async function add(id: string): Promise<void> {
    await orUnavailable(state.client.put({ TableName: state.table, Item: listKey(id) }))
  }

  /**
   * One page of the ids of all accounts, in ascending order, after the id `after`; `next` is the last one of
   * them, null at the end.
   */
  async function listIds(after: string | null): Promise<{ ids: string[]; next: string | null }> {
    const { Items = [], LastEvaluatedKey } = await orUnavailable(
      state.client.query({
        TableName: state.table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': LIST },
        Limit: PAGE,
        ...(after !== null && { ExclusiveStartKey: listKey(after) }),
      }),
    )
    return { ids: Items.map(({ sk }) => String(sk)), next: LastEvaluatedKey?.sk ?? null }
  }

  return { add, listIds }
}

export function listKey(id: string): ItemKey {
  return { pk: LIST, sk: id }
}
