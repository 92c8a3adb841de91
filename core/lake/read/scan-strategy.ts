import type { QueryEngine } from '#core/ports'

/**
 * How a read uses scans of the lake's tables. A second scan often saves work: it reads fewer columns or rows
 * than one scan that serves two purposes. An engine that bills each scan (Athena) would charge for it, and so
 * would one that inlines a relation that is named twice.
 */
export type ScanStrategy = {
  /**
   * Sessions: scan the fragments twice, to join only those of split sessions. Otherwise all fragments are
   * grouped.
   */
  joinsSplitAlone: boolean
  /** Breakdowns: scan once for the events that name the property, and once for the number of all events. */
  countsEventsApart: boolean
  /** All sites: search for copies in a statement before, so that the others need not. */
  findsCopiesFirst: boolean
  /**
   * Sources: name each combination of what visits say once, and join the sessions with the names. Otherwise
   * each session is named.
   */
  namesSourcesOnce: boolean
}

/** For engines whose scans cost time only: a second scan that is faster than the work it saves. */
export const FREE_SCANS: ScanStrategy = {
  joinsSplitAlone: true,
  countsEventsApart: true,
  findsCopiesFirst: true,
  namesSourcesOnce: true,
}

/** For engines that bill by the bytes of each scan: one scan of a table wherever one can do. */
export const BILLED_SCANS: ScanStrategy = {
  joinsSplitAlone: false,
  countsEventsApart: false,
  findsCopiesFirst: false,
  namesSourcesOnce: false,
}

/** The strategy for the engine. */
export function scanStrategy({ areScansBilled }: Pick<QueryEngine, 'areScansBilled'>): ScanStrategy {
  return areScansBilled ? BILLED_SCANS : FREE_SCANS
}
