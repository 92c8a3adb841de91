import { errorText } from '#core/errors'
import type { LakeStateStore, ReadableManifests } from '#core/lake/model/state'
import type { Log } from '#core/ports'

/** How often a manifest is named that stays unreadable, ms. */
const NAME_EVERY_MS = 3_600_000

/**
 * Reads the manifests that can be read, and names the others in the log: when they are first met, each hour
 * while they stay so, and when they can be read again.
 */
export function createManifestWatch({
  state,
  log,
}: {
  state: Pick<LakeStateStore, 'readableManifests'>
  log: Log
}) {
  const namedAt = new Map<string, number>()

  return async function readManifests(now: number): Promise<ReadableManifests> {
    const read = await state.readableManifests()
    const unreadable = new Set(read.unreadable.map(({ key }) => key))
    for (const { key, bucket, error } of read.unreadable) {
      if (now - (namedAt.get(key) ?? Number.NEGATIVE_INFINITY) < NAME_EVERY_MS) continue
      namedAt.set(key, now)
      log('LAKE_OBJECT_DAMAGED', { key, bucket, reason: errorText(error) })
    }
    for (const key of [...namedAt.keys()].filter(each => !unreadable.has(each))) {
      namedAt.delete(key)
      log('LAKE_OBJECT_REPAIRED', { key })
    }
    return read
  }
}
