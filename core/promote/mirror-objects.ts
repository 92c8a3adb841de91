import { forEachConcurrent } from '#core/async/concurrency'
import { FAILED_BATCHES, isOwnKey } from '#core/lake/model/keys'
import type { Lake } from '#core/ports'
import { EXPORT_PREFIX } from '#schemas/exports'
import type { CopiedObjects, ObjectSource } from './ports.ts'

/** Objects that are in memory at the same time; the largest are files of segments. */
const AT_ONCE = 4

export type MirroredObjects = {
  /** Objects of the source. */
  objects: number
  copied: number
  bytes: number
  /** Objects of the target that the source does not have. */
  deleted: number
}

/**
 * Whether an object goes with the lake. Batches that the consumer of a stack has failed on do not, and
 * neither do exports, whose items stay, too.
 */
export function isPromoted(key: string): boolean {
  return isOwnKey(key) && !key.startsWith(FAILED_BATCHES) && !key.startsWith(EXPORT_PREFIX)
}

/**
 * Copies the objects of a lake that the target does not have, or has otherwise, as far as `copied` knows.
 * `isLast`: nobody writes to the source any more, so what it does not have is deleted from the target. It may
 * be killed and repeated. Throws ApiError UNAVAILABLE when the target cannot be written.
 */
export async function mirrorObjects(
  from: ObjectSource,
  to: Lake,
  { copied, isLast }: { copied: CopiedObjects; isLast: boolean },
): Promise<MirroredObjects> {
  const sizes = await sizesIn(to)
  const wanted = (await from.list()).filter(({ key }) => isPromoted(key))
  const changed = wanted.filter(object => sizes.get(object.key) !== object.size || !copied.has(object))
  const done = { copied: 0, bytes: 0 }
  await forEachConcurrent(changed, AT_ONCE, async object => {
    const bytes = await from.get(object.key)
    if (bytes === null) return
    await to.put(object.key, bytes)
    copied.note(object)
    done.copied += 1
    done.bytes += bytes.length
  })
  const surplus = isLast ? namesWithout(sizes, wanted) : []
  if (surplus.length > 0) await to.delete(surplus)
  return { objects: wanted.length, ...done, deleted: surplus.length }
}

/** How many objects differ between two lakes that nobody writes to: one is missing, or has another size. */
export async function countDifferentObjects(from: ObjectSource, to: Lake): Promise<number> {
  const sizes = await sizesIn(to)
  const wanted = (await from.list()).filter(({ key }) => isPromoted(key))
  const missing = wanted.filter(({ key, size }) => sizes.get(key) !== size)
  return missing.length + namesWithout(sizes, wanted).length
}

async function sizesIn(lake: Lake): Promise<Map<string, number>> {
  const objects = (await lake.list('')).filter(({ key }) => isPromoted(key))
  return new Map(objects.map(({ key, size }) => [key, size]))
}

function namesWithout(sizes: ReadonlyMap<string, number>, wanted: readonly { key: string }[]): string[] {
  const names = new Set(wanted.map(({ key }) => key))
  return [...sizes.keys()].filter(key => !names.has(key))
}
