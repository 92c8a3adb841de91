import type { Caller } from '#core/access/caller'
import type { Demo } from '#core/access/demo'
import type { Project } from '#core/projects/project'

export type CallerProjectServices = {
  projects: { list(accountId: string): Promise<Project[]> }
  demo: Pick<Demo, 'project'>
}

/** The projects of the caller's account; for a demo session, the project of the demo, if there is one. */
export async function projectsOfCaller(
  { projects, demo }: CallerProjectServices,
  { account, credential }: Caller,
): Promise<Project[]> {
  if (credential.kind !== 'demo') return projects.list(account.id)
  const project = await demo.project()
  return project === null ? [] : [project]
}
