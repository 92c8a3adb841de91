import { readShared } from './shared.ts'

/**
 * What people read for a project: its display name, else its name (U129). Addresses, commands and reads have
 * the name alone.
 */

type Named = { id: string; name: string; display_name: string | null }

let titles: ReadonlyMap<string, string> = new Map()

/** Notes the display names of a list of projects. Two with the same one show their names, too. */
export function noteNames(projects: readonly Named[]): void {
  const uses = new Map<string, number>()
  for (const each of projects) uses.set(shown(each), (uses.get(shown(each)) ?? 0) + 1)
  titles = new Map(
    projects.flatMap(each => {
      const title = shown(each)
      const whole = title === each.name || uses.get(title) === 1 ? title : `${title} (${each.name})`
      return [[each.id, whole] as const, [each.name, whole] as const]
    }),
  )
}

function shown({ name, display_name }: Named): string {
  return display_name ?? name
}

/** The text for a project, by its name or id. Before the list of projects is known it is the name. */
export function titleOf(project: string): string {
  const shared = readShared()
  if (shared !== null) return shared.title
  return titles.get(project) ?? project
}
