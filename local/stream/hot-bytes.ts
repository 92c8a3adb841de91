import { hotPrefix } from '#core/lake/model/keys'
import { compactedByAll } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Lake, Now } from '#core/ports'
import { COMPACTION_BYTES } from './disk-reserve.ts'

export type HotBytesServices = {
  state: Pick<LakeStateStore, 'lake' | 'manifestHeads'>
  lake: Pick<Lake, 'list'>
  clock: Now
}

/** An epoch gets files until it is closed, and for some moments longer from a claim that was open then. */
const CHANGING_EPOCHS = 2
/** The bytes of an older epoch are used for so long, ms: it gets smaller when erased events leave it. */
const KEPT_MS = 60_000

/**
 * Returns a function that adds up the bytes of the hot files that some bucket has not compacted yet. It is
 * called each second, so it reads the watermarks alone, no manifest, and lists the epochs of a backlog once a
 * minute: each has up to 600 files. It stops at COMPACTION_BYTES.
 */
export function createHotBytes({ state, lake, clock }: HotBytesServices): () => Promise<number> {
  let known = new Map<number, { bytes: number; at: number }>()

  return async () => {
    const { epoch } = await state.lake()
    const compacted = compactedByAll(await state.manifestHeads())
    const now = clock.now()
    const measured: typeof known = new Map()
    let bytes = 0
    for (let open = compacted; open <= epoch && bytes < COMPACTION_BYTES; open++) {
      const before = open > epoch - CHANGING_EPOCHS ? undefined : known.get(open)
      // A clock that was ahead says nothing about the age.
      const isKnown = before !== undefined && Math.abs(now - before.at) < KEPT_MS
      const entry = isKnown ? before : { bytes: await sizeOf(open), at: now }
      measured.set(open, entry)
      bytes += entry.bytes
    }
    known = measured
    return bytes
  }

  async function sizeOf(epoch: number): Promise<number> {
    const files = await lake.list(hotPrefix(epoch))
    return files.reduce((sum, { size }) => sum + size, 0)
  }
}
