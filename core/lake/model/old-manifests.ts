import type { LakeObject } from '#core/ports'
import { type ManifestName, parseManifestKey } from './keys.ts'

/** A clock of another machine may be ahead by so much, ms. */
const AHEAD_MS = 3_600_000

/**
 * Finds the manifests of a bucket that nobody needs any more, and pages that the manifest in force does not
 * name. A replaced manifest stays for `keepMs` after the next one was written, as long as the files that it
 * names: a read may still use it, and so may a state that is up to a day older. With a change a minute a
 * bucket has 1,440 a day, and 64 buckets have 92,000: a listing of 92 pages, eight times a day. An object
 * with a later version than `version` stays: a writer may be about to save it.
 */
export function findOldManifests(
  objects: readonly LakeObject[],
  { version, keys }: { version: number; keys: readonly string[] },
  { now, keepMs }: { now: number; keepMs: number },
): { old: string[]; pages: string[] } {
  const parsed = objects.flatMap(({ key }) => {
    const each = parseManifestKey(key)
    return each === null ? [] : [{ key, ...each }]
  })
  const isReplaced = ({ key, name }: { key: string; name: ManifestName }) =>
    name.version <= version && !keys.includes(key)
  const manifests = parsed.filter(({ isPage }) => !isPage).toSorted((a, b) => a.name.version - b.name.version)
  const old = manifests.filter((manifest, i) => {
    const next = manifests.slice(i + 1).find(({ name }) => name.version > manifest.name.version)
    return isReplaced(manifest) && isLongAgo(next?.name ?? manifest.name, now, keepMs)
  })
  const pages = parsed.filter(each => each.isPage && isReplaced(each))
  return { old: old.map(({ key }) => key), pages: pages.map(({ key }) => key) }
}

/** A time to come is of a clock that was ahead, and nobody knows how long ago that was. */
function isLongAgo({ writtenAt }: ManifestName, now: number, keepMs: number): boolean {
  return writtenAt <= now - keepMs || writtenAt > now + AHEAD_MS
}
