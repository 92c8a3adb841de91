import type { LakeObject } from '#core/ports'
import { type ManifestName, parseManifestKey } from './keys.ts'

/**
 * How long each replaced manifest is kept, ms: for reads that have the older pointer, and for a copy of the
 * folder that is made meanwhile.
 */
const KEEP_ALL_MS = 3_600_000

/**
 * Finds the manifests of a bucket that nobody needs any more, and pages that the manifest in force does not
 * name. Of each older hour one manifest stays, for as long as the files that it names are kept: a lake whose
 * newest files are lost is restored from it. So with a change a minute there are some 270 objects a bucket
 * when this is called eight times a day. An object of a later version than `named` may be saved at any time,
 * and stays.
 */
export function findOldManifests(
  objects: readonly LakeObject[],
  { version, keys }: { version: number; keys: readonly string[] },
  { now, keepMs }: { now: number; keepMs: number },
): { old: string[]; pages: string[] } {
  const unnamed = objects.flatMap(({ key }) => {
    const parsed = parseManifestKey(key)
    const isReplaced = parsed !== null && parsed.name.version <= version && !keys.includes(key)
    return isReplaced ? [{ key, ...parsed }] : []
  })
  const newestFirst = unnamed
    .filter(({ isPage }) => !isPage)
    .toSorted((a, b) => b.name.version - a.name.version || b.name.writtenAt - a.name.writtenAt)
  const hoursKept = new Set<number>()
  const old = newestFirst.filter(({ name }) => {
    const age = ageOf(name, now)
    if (age < KEEP_ALL_MS) return false
    const hour = Math.floor(name.writtenAt / KEEP_ALL_MS)
    if (age >= keepMs || hoursKept.has(hour)) return true
    hoursKept.add(hour)
    return false
  })
  return {
    old: old.map(({ key }) => key),
    pages: unnamed.filter(({ isPage }) => isPage).map(({ key }) => key),
  }
}

/** A time to come is of a clock that was ahead. Nobody knows the age then, and the manifest is replaced. */
function ageOf({ writtenAt }: ManifestName, now: number): number {
  return writtenAt > now + KEEP_ALL_MS ? Number.POSITIVE_INFINITY : now - writtenAt
}
