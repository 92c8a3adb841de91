import type { AuditLog } from '#core/accounts/audit'
import type { AccountStore } from '#core/accounts/store'
import { ApiError } from '#core/errors'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import type { Project } from './project.ts'
import type { ProjectStore } from './store.ts'

export type OwnerServices = StateTable & {
  accounts: Pick<AccountStore, 'create' | 'byId' | 'issueApiKey'>
  projects: Pick<ProjectStore, 'create'>
  audit: Pick<AuditLog, 'record'>
}

export type OwnerRequest = {
  /** undefined: any address; a new owner gets LOCAL_EMAIL. */
  email?: string | undefined
  /** The name of the project. */
  project: string
  allowed_origins?: string | undefined
}

/** The key of the item that names the account of this install's owner. */
const OWNER_KEY = { pk: 'install', sk: 'owner' }
/** A placeholder, because nobody can sign in yet. No mail is sent to it. */
const LOCAL_EMAIL = 'owner@localhost'

/**
 * Gives the owner of this install an account, a project and an API key. The first call creates account and
 * project; later calls find them, also after a call that crashed. A project that exists stays as it is. Each
 * call replaces the API key, because nobody can read a lost key again. Throws MISSING_FIELDS when `email` is
 * not the owner's, and the errors of ProjectStore.create; then the key stays.
 */
export async function issueOwnerAccess(
  services: OwnerServices,
  { email, project: name, allowed_origins }: OwnerRequest,
): Promise<{ account_id: string; api_key: string; project: Project }> {
  const { accounts, projects, audit } = services
  const id = await readOrCreateOwner(services, email ?? LOCAL_EMAIL)
  if (email !== undefined && (await accounts.byId(id))?.email !== email) {
    throw new ApiError(
      'MISSING_FIELDS',
      "Field `email` is not the address of this install's owner. Send the owner's address or leave it out.",
    )
  }
  const { project } = await projects.create({ account: { id }, name, allowed_origins })
  const api_key = await accounts.issueApiKey(id)
  // No request has issued this key. The person who runs the service has.
  const actor = { type: 'system', id: 'owner_access', label: null } as const
  await audit.record({
    account_id: id,
    actor,
    action: 'api_key_issued',
    route: '',
    project: null,
    status: 200,
  })
  return { account_id: id, api_key, project }
}

/**
 * Returns a project of the owner, and creates account and project where they are missing. The API key stays.
 */
export async function ownerProject(services: OwnerServices, name: string): Promise<Project> {
  const id = await readOrCreateOwner(services, LOCAL_EMAIL)
  return (await services.projects.create({ account: { id }, name })).project
}

/** Returns the id of the owner's account. The first call creates the account. */
async function readOrCreateOwner(services: OwnerServices, email: string): Promise<string> {
  const { client, table, accounts } = services
  const ownerId = await readOwner(services)
  if (ownerId !== null) return ownerId
  // The owner pays for the machine, so the plan costs nothing (docs/api/limits.md, profile `own`).
  const { id } = await accounts.create({ email, tier: 'pro', complimentary: true })
  const write = client.put({
    TableName: table,
    Item: { ...OWNER_KEY, account_id: id },
    ConditionExpression: 'attribute_not_exists(pk)',
  })
  if (await conditionHeld(write)) return id
  // Another call was faster. Nobody knows the account that this call created.
  return (await readOwner(services)) ?? id
}

/** Returns the id of the owner's account, or null when the install has none. */
export async function readOwner({ client, table }: StateTable): Promise<string | null> {
  const Item = await readItem({ client, table }, OWNER_KEY)
  return typeof Item?.account_id === 'string' ? Item.account_id : null
}
