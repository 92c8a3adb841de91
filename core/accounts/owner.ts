import { answered, held, type StateTable } from '#core/state-table'
import type { Accounts } from './store.ts'

export type OwnerServices = StateTable & { accounts: Pick<Accounts, 'create'> }

/** The item that says which account owns this install. */
const OWNER_KEY = { pk: 'install', sk: 'owner' }

/** The id of the account that owns this install; the first call makes it. */
export async function ownerAccount(
  { client, table, accounts }: OwnerServices,
  email: string,
): Promise<string> {
  const known = await find({ client, table })
  if (known !== null) return known
  // Who installs it pays for it (contract 6, profile `own`).
  const { id } = await accounts.create({ email, tier: 'pro', complimentary: true })
  const named = client.put({
    TableName: table,
    Item: { ...OWNER_KEY, account_id: id },
    ConditionExpression: 'attribute_not_exists(pk)',
  })
  if (await held(named)) return id
  // Another call was faster: nobody knows the account that was made here.
  return (await find({ client, table })) ?? id
}

async function find({ client, table }: StateTable): Promise<string | null> {
  const { Item } = await answered(client.get({ TableName: table, Key: OWNER_KEY, ConsistentRead: true }))
  return typeof Item?.account_id === 'string' ? Item.account_id : null
}
