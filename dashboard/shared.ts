/**
 * What a share link shows of a project. The page of the link says it, because a link reads no project record.
 */

/** `timezone`: empty if the project has none. */
export type Shared = { project: string; timezone: string; views: readonly string[] }

/** Null on every other page. */
export function readShared(): Shared | null {
  const { project, timezone = '', views } = document.getElementById('app')?.dataset ?? {}
  return project === undefined || views === undefined ? null : { project, timezone, views: views.split(' ') }
}
