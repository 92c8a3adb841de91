import type { AccountStore } from '#core/accounts/store'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import type { Variant } from '#schemas/assignment'
import type { ExperimentStore } from './store.ts'

export type ActiveExperiment = { key: string; variants: Variant[] }

export type ActiveExperimentServices = {
  accounts: Pick<AccountStore, 'byId'>
  experiments: Pick<ExperimentStore, 'list'>
  clock: Now
}

/** Every browser session asks, and browsers keep the response for 60 s, so these seconds do not matter. */
const CACHE = { foundMs: 5_000, missingMs: 0, maxEntries: 10_000 }

/**
 * Creates the function that lists what the tracker needs of a project's active experiments, newest first. The
 * result may be 5 s old. Experiments need Pro, so there are none while the account is on the free plan (U19).
 */
export function createActiveExperiments({ accounts, experiments, clock }: ActiveExperimentServices) {
  const cache = createLookupCache(clock, readActive, CACHE)

  async function readActive(key: string): Promise<ActiveExperiment[]> {
    const [accountId = '', id = ''] = key.split(' ')
    const [account, all] = await Promise.all([accounts.byId(accountId), experiments.list({ id })])
    if (account?.tier !== 'pro') return []
    return all
      .filter(({ status }) => status === 'active')
      .map(({ name, variants }) => ({ key: name, variants }))
  }

  return async ({ id, account_id }: Pick<Project, 'id' | 'account_id'>): Promise<ActiveExperiment[]> =>
    (await cache.get(`${account_id} ${id}`)) ?? []
}
