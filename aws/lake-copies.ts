import { rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import QuickLRU from 'quick-lru'
import type { Lake } from '#core/ports'

/** Objects that are fetched at the same time. */
const FETCHES = 32
/** Objects whose size is remembered, also when their copy is gone. */
const MAX_SIZES = 10_000

export type LakeCopies = {
  /**
   * Copies the objects that the folder lacks, each once. Nothing deletes them before `release`, which is
   * called once. Null if the lake does not have all of them any more. Rejects as `Lake.get` and the disk do.
   */
  hold(keys: readonly string[]): Promise<HeldCopies | null>
  /** Bytes of an object that was copied once; undefined for others. */
  sizeOf(key: string): number | undefined
}

export type HeldCopies = { /** Of all of them together. */ bytes: number; release(): void }

/** `bytes`: null until the copy is whole. `fetched`: whether the lake had the object. */
type Copy = { bytes: number | null; holders: number; fetched: Promise<boolean> }

/**
 * Copies of objects of the lake in a folder, by their keys, for an engine that opens files. An object never
 * changes, so its copy never does. Those that were used last stay, at most `maxBytes` and `maxFiles` of them,
 * and all that are held.
 */
export function createLakeCopies({
  lake,
  folder,
  maxBytes,
  maxFiles,
}: {
  lake: Pick<Lake, 'get'>
  folder: string
  maxBytes: number
  maxFiles: number
}): LakeCopies {
  /** The one that was used last is the last. */
  const copies = new Map<string, Copy>()
  const sizes = new QuickLRU<string, number>({ maxSize: MAX_SIZES })
  const fetchInTurn = pLimit(FETCHES)

  async function fetchInto(copy: Copy, key: string): Promise<boolean> {
    const bytes = await lake.get(key)
    if (bytes === null) return false
    const path = join(folder, key)
    await mkdir(dirname(path), { recursive: true })
    // A process that is stopped while it writes leaves no half file under the name of a whole one.
    await writeFile(`${path}.part`, bytes)
    await rename(`${path}.part`, path)
    copy.bytes = bytes.length
    sizes.set(key, bytes.length)
    return true
  }

  function take(key: string): Copy {
    const known = copies.get(key)
    const copy = known ?? { bytes: null, holders: 0, fetched: Promise.resolve(false) }
    if (known === undefined) copy.fetched = fetchInTurn(() => fetchInto(copy, key))
    copy.holders += 1
    copies.delete(key)
    copies.set(key, copy)
    return copy
  }

  function release(taken: ReadonlyMap<string, Copy>): void {
    for (const [key, copy] of taken) {
      copy.holders -= 1
      // What did not come is asked for again by the next read.
      if (copy.bytes === null && copies.get(key) === copy) copies.delete(key)
    }
    deleteOldest()
  }

  function deleteOldest(): void {
    let total = bytesOf(copies)
    for (const [key, { bytes, holders }] of copies) {
      if (total <= maxBytes && copies.size <= maxFiles) return
      if (bytes === null || holders > 0) continue
      copies.delete(key)
      // At once, so that it cannot meet the copy that a later read fetches again.
      rmSync(join(folder, key), { force: true })
      total -= bytes
    }
  }

  return {
    async hold(keys) {
      const taken = new Map([...new Set(keys)].map(key => [key, take(key)]))
      const fetched = await Promise.allSettled(taken.values().map(copy => copy.fetched))
      if (fetched.every(each => each.status === 'fulfilled' && each.value))
        return { bytes: bytesOf(taken), release: () => release(taken) }
      release(taken)
      const failed = fetched.find(each => each.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      return null
    },
    sizeOf: key => sizes.get(key),
  }
}

function bytesOf(copies: ReadonlyMap<string, Copy>): number {
  return copies.values().reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
}
