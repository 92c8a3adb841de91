import type { Caller } from '#core/access/caller'
import { contextOfRange, firstAnnotation } from '#core/projects/context-of-range'
import { NO_PROJECT_CONTEXT } from '#core/projects/contexts'
import type { Project } from '#core/projects/project'
import type { OpenedProject } from '#core/projects/read-project'
import type { JsonObject } from '#core/text/json-object'
import { DAY_MS } from '#core/time'
import type { Exchange } from '#lambdas/chain/chain'
import { projectNotFound, resolveProject } from '#lambdas/chain/resolve-project'
import type { ReportsServices } from './services.ts'

export type ProjectCall = Exchange & { caller: Caller; json: JsonObject; project: Project }

/**
 * The project of a call as it is now, and its context. Throws NOT_FOUND when the project was deleted after
 * the chain's cache had found it.
 */
export async function openProject(services: ReportsServices, call: ProjectCall): Promise<OpenedProject> {
  const opened = (await services.readProject(call.project)) ?? (await openAgain(services, call))
  call.project = opened.project
  // What the owner notes about the numbers is not for those who have a link.
  return call.caller.shared === undefined
    ? opened
    : { ...opened, contextSince: async () => NO_PROJECT_CONTEXT }
}

/** Another process has deleted or renamed the project of the cache. Another project may have its name now. */
async function openAgain(services: ReportsServices, call: ProjectCall) {
  services.projects.forgetRecent()
  const { project } = await resolveProject(services)(call)
  const opened = project === undefined ? null : await services.readProject(project)
  if (opened === null) throw projectNotFound(call.project.name)
  return opened
}

/** The field `project_context` of a response about these UTC dates, or nothing. */
export async function contextOfDates(
  { contextSince }: OpenedProject,
  { from, to }: { from: string; to: string },
) {
  const days = { start: Date.parse(from), end: Date.parse(to) + DAY_MS }
  return contextOfRange(await contextSince(firstAnnotation(days)), days)
}

/** The projects of the account. A demo session sees the demo project only. */
export async function readableProjects({ projects, demo }: ReportsServices, { account, credential }: Caller) {
  if (credential.kind !== 'demo') return projects.list(account.id)
  const project = await demo.project()
  return project === null ? [] : [project]
}
