import type { Project } from '#core/projects/project'

/**
 * All ids of the person who has this id, in the project. Projects cannot send identities yet, so it is the id alone. Everything that
 * erases a person asks here.
 */
export async function personIds(_project: Pick<Project, 'id'>, userId: string): Promise<string[]> {
  return [userId]
}
