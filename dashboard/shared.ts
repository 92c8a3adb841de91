/**
 * What a share link shows of a project. The page of the link says it, because a link reads no project record.
 */

/** `title`: what people read for the project. `timezone`: empty if the project has none. */
export type Shared = { project: string; title: string; timezone: string; views: readonly string[] }

/** Null on every other page. */
export function readShared(): Shared | null {
  const { project, title = project, timezone = '', views } = document.getElementById('app')?.dataset ?? {}
  return project === undefined || title === undefined || views === undefined
    ? null
    : { project, title, timezone, views: views.split(' ') }
}
