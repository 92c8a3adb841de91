import type { Lake, LakeObject, Log } from '#core/ports'
import { isOwnKey } from './keys.ts'

/** Keys that are remembered because the log has named them. More than that are left without a line. */
const MAX_NAMED = 1_000

/**
 * A lake whose listings have only objects with names of ours. Others come from outside, such as the temporary
 * file of a copy tool or `.DS_Store`. They are left where they are, and each is named once in the log:
 * reading one would fail every read of its folder.
 */
export function ownObjects(lake: Lake, log: Log): Lake {
  const named = new Set<string>()
  function onlyOwn(objects: LakeObject[]): LakeObject[] {
    for (const { key } of objects) {
      if (isOwnKey(key) || named.has(key) || named.size >= MAX_NAMED) continue
      named.add(key)
      log('LAKE_OBJECT_FOREIGN', { key })
    }
    return objects.filter(({ key }) => isOwnKey(key))
  }

  return {
    ...lake,
    async list(prefix) {
      return onlyOwn(await lake.list(prefix))
    },
    async listPage(prefix, after) {
      const { objects, next } = await lake.listPage(prefix, after)
      return { objects: onlyOwn(objects), next }
    },
  }
}
