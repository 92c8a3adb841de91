/**
 * What a share link shows of a project. The page of the link says it, because a link reads no project record.
 */

export type Shared = { project: string; views: readonly string[] }

/** Null on every other page. */
export function readShared(): Shared | null {
  const { project, views } = document.getElementById('app')?.dataset ?? {}
  return project === undefined || views === undefined ? null : { project, views: views.split(' ') }
}
