import type { AccountStore } from '#core/accounts/store'
import type { Project } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import { utcDate } from '#core/time'
import { usageByDate } from '#core/usage/by-date'
import type { UsageCounters } from '#core/usage/counters'
import type { ProjectRecord } from '#schemas/projects'
import { routes } from '#schemas/routes'
import { type AccountChainServices, accountChain } from '../chain/account-chain.ts'
import type { HttpFunction } from '../http.ts'
import { httpFunction } from '../http-function.ts'
import { installSnippet } from './install-snippet.ts'

export type ControlServices = AccountChainServices & {
  accounts: Pick<AccountStore, 'hasApiKey'>
  projects: Pick<ProjectStore, 'list' | 'create' | 'update' | 'remove'>
  usage: Pick<UsageCounters, 'totals' | 'month'>
}

/** The projects of an account (contract 1.4). */
export function controlHandler(services: ControlServices): HttpFunction {
  const { accounts, projects, usage, clock, baseUrl } = services
  const chain = accountChain(services)

  async function record(project: Project): Promise<ProjectRecord> {
    const { events, reads } = await usage.totals(project.id)
    const { id, name, project_token, allowed_origins, source_scan_id, created_at } = project
    return {
      id,
      name,
      project_token,
      allowed_origins,
      total_events: events,
      total_reads: reads,
      source_scan_id,
      created_at,
    }
  }

  async function usageToday(project: Project) {
    const today = utcDate(clock.now())
    const { days } = await usage.month(project.id, today.slice(0, 7))
    return { event_count: days[today]?.events ?? 0, read_count: days[today]?.reads ?? 0 }
  }

  return httpFunction<'control'>(services.log, {
    listProjects: chain(routes.listProjects)(async ({ caller: { account } }) => {
      const [owned, has_api_key] = await Promise.all([
        projects.list(account.id),
        accounts.hasApiKey(account.id),
      ])
      const records = await Promise.all(owned.map(record))
      return { status: 200, body: { projects: records, has_api_key, tier: account.tier } }
    }),

    createProject: chain(routes.createProject)(async ({ caller: { account }, body }) => {
      const { project, existing } = await projects.create({ account, ...body })
      const created = { ...(await record(project)), ...installSnippet(project, baseUrl) }
      return existing ? { status: 200, body: { ...created, existing: true } } : { status: 201, body: created }
    }),

    readProject: chain(routes.readProject)(async ({ project }) => {
      const [flat, usage_today] = await Promise.all([record(project), usageToday(project)])
      return { status: 200, body: { ...flat, project: { id: project.id, name: project.name }, usage_today } }
    }),

    projectUsage: chain(routes.projectUsage)(async ({ project, query: { days } }) => {
      const rows = await usageByDate(usage, project.id, { now: clock.now(), days })
      return { status: 200, body: { project: project.name, days, rows } }
    }),

    updateProject: chain(routes.updateProject)(async ({ project, body }) => ({
      status: 200,
      body: await record(await projects.update(project, body)),
    })),

    deleteProject: chain(routes.deleteProject)(async ({ project }) => {
      await projects.remove(project)
      return { status: 200, body: { ok: true, deleted: project.id } }
    }),
  })
}
