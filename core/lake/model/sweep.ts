/**
 * What a sweep goes through, to delete what nobody needs any more: the hot files, the manifests with the
 * files of tombstones, or the segments of a bucket.
 */
export type SweepName = 'hot' | 'manifests' | `segments/${number}`

/** How far a sweep has come. */
export type Sweep = {
  name: SweepName
  /** The number of changes. A slice is saved only if no other one was saved meanwhile. */
  version: number
  /** When the pass that runs began, Unix ms; null between two passes. */
  beganAt: number | null
  /** Where its next slice begins; null: at its beginning. */
  after: string | null
  /** When the last whole pass began, Unix ms; 0 before the first one. */
  sweptAt: number
  /**
   * Of segments: when the pass began, no live segment had events of the tombstones up to this number.
   */
  clearing: number
  /** The same of the last whole pass. Files that had such events are deleted. */
  cleared: number
  hot: HotNotes
}

/** What the sweep of hot files has found. */
export type HotNotes = {
  /**
   * When it was seen that all buckets have the epochs below `epoch` in segments, ascending. About ten, of a
   * day.
   */
  superseded: readonly { epoch: number; at: number }[]
  /** The lowest epoch of a hot file that the pass has seen so far; null without any. */
  firstHot: number | null
  /** The same with files of identify requests; at most the newest epoch when the pass began. */
  firstFile: number
  /** That of the last whole pass: when it began, no older epoch had any file. */
  cleared: number
}

export function newSweep(name: SweepName): Sweep {
  return {
    ...{ name, version: 0, beganAt: null, after: null, sweptAt: 0, clearing: 0, cleared: 0 },
    hot: { superseded: [], firstHot: null, firstFile: 0, cleared: 0 },
  }
}

export function segmentsSweep(bucket: number): SweepName {
  return `segments/${bucket}`
}

/** The bucket of a sweep of segments; null for another sweep. */
export function bucketOfSweep(name: SweepName): number | null {
  return name.startsWith('segments/') ? Number(name.slice('segments/'.length)) : null
}

/** The sweep of this name; one that never ran, if the state has none. */
export function findSweep(sweeps: readonly Sweep[], name: SweepName): Sweep {
  return sweeps.find(sweep => sweep.name === name) ?? newSweep(name)
}

/**
 * Returns the first epoch that may have a hot file, or 0 while nothing is known. For older epochs two things
 * are true. The last complete pass found no hot file. And all buckets have had these epochs in segments for
 * as long as superseded files are kept, so no open claim can still write a hot file there.
 */
export function firstHotEpoch({ hot }: Pick<Sweep, 'hot'>): number {
  return Math.min(hot.cleared, hot.superseded[0]?.epoch ?? 0)
}

/** The pass has come to its end. */
export function endPass(sweep: Sweep): Sweep {
  const { beganAt, sweptAt, clearing, hot } = sweep
  return {
    ...sweep,
    ...{ beganAt: null, after: null, sweptAt: beganAt ?? sweptAt, cleared: clearing },
    hot: { ...hot, cleared: hot.firstFile },
  }
}
