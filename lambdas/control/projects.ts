import type { Demo } from '#core/access/demo'
import type { AccountStore } from '#core/accounts/store'
import { ApiError } from '#core/errors'
import type { RefusedCountsStore } from '#core/identity/fold/refused-counts'
import { limitsOf, NO_LIMIT, type Profile, type TierLimits } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import { DAY_MS, utcDate } from '#core/time'
import type { ProjectTotals, UsageCounters } from '#core/usage/counters'
import type { RefusalStore } from '#core/usage/refusal-store'
import type { accountChain } from '#lambdas/chain/account-chain'
import { projectsOfCaller } from '#lambdas/http/caller-projects'
import type { ProjectRecord } from '#schemas/projects'
import { routes } from '#schemas/routes'
import { installSnippet } from './install-snippet.ts'
import { refusedEventsOf } from './refused-events.ts'

export type ProjectEndpointServices = {
  accounts: Pick<AccountStore, 'hasApiKey'>
  projects: Pick<ProjectStore, 'list' | 'create' | 'update' | 'remove'>
  demo: Pick<Demo, 'project'>
  usage: Pick<UsageCounters, 'totals' | 'month'>
  refused: Pick<RefusedCountsStore, 'read'>
  refusalStore: Pick<RefusalStore, 'read'>
  profile: Profile
  baseUrl: string
  clock: Now
}

/** The account's projects (docs/api/projects.md). */
export function projectEndpoints(services: ProjectEndpointServices, chain: ReturnType<typeof accountChain>) {
  const { accounts, projects, usage, refused, refusalStore, profile, clock, baseUrl } = services

  async function record(project: Project): Promise<ProjectRecord> {
    const [totals] = await usage.totals([project.id])
    return toRecord(project, totals)
  }

  async function usageToday(project: Project) {
    const today = utcDate(clock.now())
    const { days } = await usage.month(project.id, today.slice(0, 7))
    return { event_count: days[today]?.events ?? 0, read_count: days[today]?.reads ?? 0 }
  }

  /** One row for each of the last `count` days, today included, oldest first. */
  async function usageByDay(project: Project, count: number) {
    const dates = Array.from({ length: count }, (_, i) => utcDate(clock.now() - (count - 1 - i) * DAY_MS))
    const names = [...new Set(dates.map(date => date.slice(0, 7)))]
    const months = await Promise.all(names.map(month => usage.month(project.id, month)))
    const days = Object.assign({}, ...months.map(month => month.days))
    return dates.map(date => ({
      date,
      event_count: days[date]?.events ?? 0,
      read_count: days[date]?.reads ?? 0,
    }))
  }

  return {
    listProjects: chain(routes.listProjects)(async ({ caller }) => {
      const { account } = caller
      const [listed, has_api_key] = await Promise.all([
        projectsOfCaller(services, caller),
        accounts.hasApiKey(account.id),
      ])
      const totals = await usage.totals(listed.map(({ id }) => id))
      const records = listed.map((project, i) => toRecord(project, totals[i]))
      return { status: 200, body: { projects: records, has_api_key, tier: account.tier } }
    }),

    createProject: chain(routes.createProject)(async ({ caller: { account }, body, request }) => {
      const { max_projects } = limitsOf(profile, account)
      const { project, existing } = await projects.create({ account, ...body, max_projects })
      const created = { ...(await record(project)), ...installSnippet(project, request.address ?? baseUrl) }
      return existing ? { status: 200, body: { ...created, existing: true } } : { status: 201, body: created }
    }),

    readProject: chain(routes.readProject)(async ({ project }) => {
      const [flat, usage_today, { traits = 0, ...links }, refusals] = await Promise.all([
        record(project),
        usageToday(project),
        refused.read(project.id),
        refusalStore.read(project.id, clock.now()),
      ])
      const names = { id: project.id, name: project.name }
      const { link_domains } = project
      return {
        status: 200,
        body: {
          ...{ ...flat, project: names, link_domains, usage_today },
          refused: { links, traits, events: refusals.map(refusal => refusedEventsOf(refusal, project)) },
        },
      }
    }),

    readProjectUsage: chain(routes.readProjectUsage)(async ({ project, query: { days } }) => ({
      status: 200,
      body: { project: project.name, days, rows: await usageByDay(project, days) },
    })),

    updateProject: chain(routes.updateProject)(async ({ caller: { account }, project, body }) => {
      requireKeptByPlan(limitsOf(profile, account), body.retention_days)
      return { status: 200, body: await record(await projects.update(project, body)) }
    }),

    deleteProject: chain(routes.deleteProject)(async ({ project }) => {
      await projects.remove(project)
      return { status: 200, body: { ok: true, deleted: project.id } }
    }),
  }
}

/** Throws MISSING_FIELDS for more days than the plan keeps (U122). */
function requireKeptByPlan({ retention_days: most }: TierLimits, days = 0): void {
  if (most === NO_LIMIT || days <= most) return
  throw new ApiError(
    'MISSING_FIELDS',
    `Field \`retention_days\` must be at most ${most}, because the plan keeps events that long. Send a smaller number, or 0 for as long as the plan keeps them.`,
  )
}

const NO_TOTALS: ProjectTotals = { events: 0, reads: 0, times: null }

function toRecord(project: Project, totals = NO_TOTALS): ProjectRecord {
  const { id, name, display_name, project_token, allowed_origins, timezone, retention_days } = project
  const { source_scan_id, created_at } = project
  return {
    id,
    name,
    display_name,
    project_token,
    allowed_origins,
    timezone,
    retention_days,
    total_events: totals.events,
    total_reads: totals.reads,
    first_event_at: toIso(totals.times?.first),
    last_event_at: toIso(totals.times?.last),
    source_scan_id,
    created_at,
  }
}

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
