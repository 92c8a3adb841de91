import type { Manifest } from './manifest.ts'

/**
 * Most buckets have no event in an epoch. One item of the state says so for all of them, instead of a write
 * of each manifest: for each bucket a range of closed epochs whose hot files have no event of the bucket. A
 * manifest whose watermark is in the range counts as compacted up to its end.
 *
 * This needs no order between the writes of the item and those of the manifests. The hot files of a closed
 * epoch never change, so what the item says stays true, whatever happens to the manifest: between `compacted`
 * and the end of the range there is nothing to compact. A range is only replaced by a later one, and
 * `compacted` is at its start by then, so no watermark ever goes back. The next change of a manifest saves
 * the watermark with it.
 *
 * The item may be lost: then the epochs are compacted again. Their hot files still exist, because maintenance
 * saves all watermarks before it deletes superseded files, and deletes by the saved ones. An older version,
 * which knows the manifests alone, goes on in the same way.
 */
export type EmptyEpochs = {
  /** The number of changes. A change is saved only if no other change was saved since it was read. */
  version: number
  /** By bucket. */
  ranges: ReadonlyMap<number, EpochRange>
}

/** The epochs [from, until). */
export type EpochRange = { from: number; until: number }

export const NO_EMPTY_EPOCHS: EmptyEpochs = { version: 0, ranges: new Map() }

/** The manifest with its watermark after the empty epochs. */
export function skipEmpty<M extends Pick<Manifest, 'bucket' | 'compacted'>>(
  manifest: M,
  { ranges }: Pick<EmptyEpochs, 'ranges'>,
): M {
  const { bucket, compacted } = manifest
  const range = ranges.get(bucket)
  const isInRange = range !== undefined && range.from <= compacted && compacted < range.until
  return isInRange ? { ...manifest, compacted: range.until } : manifest
}

/** Adds the epoch to the ranges of these buckets. Null if they have it, or later epochs. */
export function addEmptyEpoch(
  { version, ranges }: EmptyEpochs,
  epoch: number,
  buckets: readonly number[],
): EmptyEpochs | null {
  const added = buckets.flatMap((bucket): [number, EpochRange][] => {
    const range = ranges.get(bucket)
    if (range !== undefined && epoch < range.until) return []
    const from = range?.until === epoch ? range.from : epoch
    return [[bucket, { from, until: epoch + 1 }]]
  })
  return added.length === 0 ? null : { version: version + 1, ranges: new Map([...ranges, ...added]) }
}
