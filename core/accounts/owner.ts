import { ApiError } from '#core/errors'
import type { Project } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { AccountStore } from './store.ts'

export type OwnerServices = StateTable & {
  accounts: Pick<AccountStore, 'create' | 'byId' | 'issueApiKey'>
  projects: Pick<ProjectStore, 'create'>
}

export type OwnerRequest = {
  /** undefined: whatever it is; LOCAL_EMAIL for a new one. */
  email?: string | undefined
  /** Name of the project. */
  project: string
  allowed_origins?: string | undefined
}

/** The item that says which account owns this install. */
const OWNER_KEY = { pk: 'install', sk: 'owner' }
/** Nobody writes to it; who signs in joins with another issue. */
const LOCAL_EMAIL = 'owner@localhost'

/**
 * Access for the owner of this install: their account, a project of theirs and an API key. Account and project are made
 * at the first call and found again by every later one, wherever an earlier call was cut off; a project that is there
 * stays as it is. The key is a new one each time, in place of the one before, which is dead at once: nobody can read a
 * lost one again. Throws MISSING_FIELDS when `email` is not the owner's, and what making a project throws; then no key
 * has changed.
 */
export async function issueOwnerAccess(
  services: OwnerServices,
  { email, project: name, allowed_origins }: OwnerRequest,
): Promise<{ account_id: string; api_key: string; project: Project }> {
  const { accounts, projects } = services
  const id = await ownerAccount(services, email ?? LOCAL_EMAIL)
  if (email !== undefined && (await accounts.byId(id))?.email !== email) {
    throw new ApiError(
      'MISSING_FIELDS',
      'email: this install has an owner with another address; leave it out',
    )
  }
  const { project } = await projects.create({ account: { id }, name, allowed_origins })
  return { account_id: id, api_key: await accounts.issueApiKey(id), project }
}

/** The id of the account that owns this install; the first call makes it. */
async function ownerAccount(services: OwnerServices, email: string): Promise<string> {
  const { client, table, accounts } = services
  const known = await find(services)
  if (known !== null) return known
  // Who installs it pays for it (contract 6, profile `own`).
  const { id } = await accounts.create({ email, tier: 'pro', complimentary: true })
  const named = client.put({
    TableName: table,
    Item: { ...OWNER_KEY, account_id: id },
    ConditionExpression: 'attribute_not_exists(pk)',
  })
  if (await conditionHeld(named)) return id
  // Another call was faster: nobody knows the account that was made here.
  return (await find(services)) ?? id
}

async function find({ client, table }: StateTable): Promise<string | null> {
  const { Item } = await orUnavailable(client.get({ TableName: table, Key: OWNER_KEY, ConsistentRead: true }))
  return typeof Item?.account_id === 'string' ? Item.account_id : null
}
