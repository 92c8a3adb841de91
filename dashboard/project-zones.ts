import { lastZones, type ProjectZone, rememberZones } from './remembered.ts'
import { readShared } from './shared.ts'
import { type Address, isZone } from './url.ts'

/**
 * The time zones of projects. A view must know the zone of its project before it asks, so what the last list
 * of projects said is remembered. A list that says something else draws the view again, which then asks with
 * the other zone.
 */

let zones: ReadonlyMap<string, string> | null = null

type Listed = { id: string; name: string; timezone: string | null }

/** Notes the zones of a list of projects. */
export function noteZones(projects: readonly Listed[]): void {
  const found = projects.flatMap(({ id, name, timezone }): ProjectZone[] =>
    // A browser may know fewer zones than the service.
    timezone !== null && isZone(timezone) ? [[id, name, timezone]] : [],
  )
  zones = byNameAndId(found)
  rememberZones(found)
}

/** The zone of the project that an address shows; null if it has none, or none that is known yet. */
export function zoneOfProject({ area, project }: Pick<Address, 'area' | 'project'>): string | null {
  if (area === 'share') {
    const { timezone } = readShared() ?? {}
    return timezone !== undefined && isZone(timezone) ? timezone : null
  }
  if (project === null) return null
  zones ??= byNameAndId(lastZones().filter(([, , zone]) => isZone(zone)))
  return zones.get(project) ?? null
}

function byNameAndId(found: readonly ProjectZone[]): ReadonlyMap<string, string> {
  return new Map(found.flatMap(([id, name, zone]) => [[id, zone] as const, [name, zone] as const]))
}
