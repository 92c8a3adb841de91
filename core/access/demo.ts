import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import type { Now } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import { readItem } from '#core/state/read-items'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'

export type DemoServices = StateTable & {
  clock: Now
  accounts: Pick<AccountStore, 'byId' | 'create'>
  projects: Pick<ProjectDirectory, 'byId'>
}

/** Which account demo sessions belong to, and which project they read. */
const ACCOUNT_KEY = { pk: 'install', sk: 'demo-account' }
const PROJECT_KEY = { pk: 'install', sk: 'demo-project' }
const CACHE = { foundMs: 5_000, missingMs: 1_000, maxEntries: 1 }

/**
 * The demo that everybody may read (docs/api/agent-sessions.md). Its account is Pro, has no projects of its
 * own and no other credentials; its sessions read the one project that the operator has named.
 */
export function createDemo({ client, table, clock, accounts, projects }: DemoServices) {
  const cache = createLookupCache(clock, findProject, CACHE)

  /**
   * Names the project that demo sessions read; null: there is no demo. The project must hold no real data.
   */
  async function setProject(project: Pick<Project, 'id'> | null): Promise<void> {
    const write =
      project === null
        ? client.delete({ TableName: table, Key: PROJECT_KEY })
        : client.put({ TableName: table, Item: { ...PROJECT_KEY, project_id: project.id } })
    await orUnavailable(write)
    cache.clear()
  }

  /** The demo project, or null on an install without one. */
  function project(): Promise<Project | null> {
    return cache.get('')
  }

  async function findProject(): Promise<Project | null> {
    const id = await read(PROJECT_KEY, 'project_id')
    const found = id === null ? null : await projects.byId(id)
    return found?.deleted_at === null ? found : null
  }

  /** The account of demo sessions; the first call creates it. */
  async function account(): Promise<Account> {
    const known = await read(ACCOUNT_KEY, 'account_id')
    const found = known === null ? null : await accounts.byId(known)
    if (found !== null) return found
    const created = await accounts.create({ email: 'demo@invalid', tier: 'pro', complimentary: true })
    const write = client.put({
      TableName: table,
      Item: { ...ACCOUNT_KEY, account_id: created.id },
      ConditionExpression: 'attribute_not_exists(pk)',
    })
    if (await conditionHeld(write)) return created
    // Another call was faster. Nobody knows the account that this call created.
    return (await accounts.byId((await read(ACCOUNT_KEY, 'account_id')) ?? '')) ?? created
  }

  async function read(Key: Record<'pk' | 'sk', string>, field: string): Promise<string | null> {
    const Item = await readItem({ client, table }, Key)
    return typeof Item?.[field] === 'string' ? Item[field] : null
  }

  return { setProject, project, account }
}

export type Demo = ReturnType<typeof createDemo>
