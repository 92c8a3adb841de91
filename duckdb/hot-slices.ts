import { join } from 'node:path'
import { parseHotKey } from '#core/lake/model/keys'
import type { LakeObject } from '#core/ports'
import type { HotFile } from './compaction-sql.ts'
import type { ScratchDatabase } from './scratch-database.ts'

/** The hot files of an epoch in slices, of which one is on disk at a time. */
export type HotSlices = {
  count: number
  files: readonly HotFile[]
  /**
   * Fetches the files of a slice, unless it was the last one to be fetched, and drops the files of that one.
   */
  fetch(slice: number): Promise<readonly string[]>
}

/**
 * Divides the files, in their order, into slices of at most `sliceBytes`; a larger file is a slice of its
 * own. The same files always give the same slices.
 */
export function createHotSlices(
  database: ScratchDatabase,
  hot: readonly LakeObject[],
  sliceBytes: number,
): HotSlices {
  const slices = toSlices(hot, sliceBytes)
  let fetched: { slice: number; files: readonly string[] } | null = null

  return {
    count: slices.length,
    files: slices
      .flatMap((objects, slice) => objects.map(({ key }) => ({ slice, key })))
      .map(({ slice, key }, file) => ({
        slice,
        file,
        filename: join(database.folder, key),
        shard: parseHotKey(key)?.shard ?? '',
      })),
    async fetch(slice) {
      if (fetched?.slice === slice) return fetched.files
      if (fetched !== null) await database.drop(fetched.files)
      const keys = (slices[slice] ?? []).map(({ key }) => key)
      fetched = { slice, files: await database.fetch('events_hot', keys) }
      return fetched.files
    },
  }
}

function toSlices(hot: readonly LakeObject[], sliceBytes: number): LakeObject[][] {
  const slices: LakeObject[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const object of hot) {
    bytes += object.size
    if (bytes > sliceBytes) {
      slices.push([])
      bytes = object.size
    }
    slices.at(-1)?.push(object)
  }
  return slices
}
