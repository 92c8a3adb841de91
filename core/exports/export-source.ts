import type { AccountStore } from '#core/accounts/store'
import type { IdentityStore } from '#core/identity/identity-store'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { keptByPlan } from '#core/plans/kept-since'
import type { Profile } from '#core/plans/profile'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { dayCounts } from '#core/reports/day-counts'
import { type ReportServices, runReport } from '#core/reports/run/run'
import type { EventRow } from '#schemas/event'
import type { DayCounts, Export } from './export.ts'
import { exportPage, rangesOf } from './read-events.ts'
import { ExportRefused } from './refused.ts'

export type ExportSourceServices = Pick<ReportServices, 'engine' | 'openLake' | 'clock'> & {
  identity: Pick<IdentityStore, 'scopeOf' | 'openLinks'>
  projects: Pick<ProjectDirectory, 'byId'>
  accounts: Pick<AccountStore, 'byId'>
  profile: Profile
  /** Ends the run when the process stops. The next process goes on. */
  stopping?: AbortSignal | undefined
}

/** Events in the order of their times. `next`: where the events after them begin. */
export type SourcePage = { events: readonly EventRow[]; next: NonNullable<Export['next']>; isLast: boolean }

/** The events of an export as reads return them. */
export type ExportSource = {
  /** What the service counts now, by UTC day. */
  countDays(): Promise<DayCounts>
  /** The events of the counted days after a position; absent: all. */
  pagesAfter(next: Export['next'], counted: DayCounts): AsyncGenerator<SourcePage, void>
}

/** Throws ExportRefused when the project is deleted. Rejects when its links cannot be read now. */
export async function openExportSource(
  services: ExportSourceServices,
  { project_id, account_id, from, to }: Export,
): Promise<ExportSource> {
  const [project, account] = await Promise.all([
    services.projects.byId(project_id),
    services.accounts.byId(account_id),
  ])
  if (project === null || project.deleted_at !== null || account === null)
    throw new ExportRefused('The project was deleted.')
  const keptSince = keptByPlan(services.profile, account, services.clock.now())
  const identity = await openLinks(services.identity, project)
  const call = { project, identity, keptSince, signal: services.stopping }

  async function countDays(): Promise<DayCounts> {
    return (await runReport(dayCounts, services, { ...call, query: { range: { from, to } } })).days
  }

  async function* pagesAfter(next: Export['next'], counted: DayCounts): AsyncGenerator<SourcePage, void> {
    const ranges = rangesOf(counted, next?.day ?? 0)
    for (const [i, range] of ranges.entries()) {
      let before = i === 0 ? next?.before : undefined
      do {
        const page = await runReport(exportPage, services, { ...call, query: { range, before } })
        before = page.next ?? undefined
        yield {
          events: page.events,
          next: before === undefined ? { day: range.to } : { day: range.from, before },
          isLast: before === undefined && i === ranges.length - 1,
        }
      } while (before !== undefined)
    }
  }

  return { countDays, pagesAfter }
}

async function openLinks(
  identity: ExportSourceServices['identity'],
  project: Project,
): Promise<IdentityView> {
  const links = await identity.openLinks(await identity.scopeOf(project))
  if (links?.isPartial) throw new Error(`The links of ${project.id} are being made again`)
  return { ...NO_IDENTITY, links: links !== null && links.files.length > 0 ? links : null }
}
