/** The events of a project that an erasure removes: those for which all conditions hold. */
export type ErasedEvents = {
  project_id: string
  /** userHash of each id of the person; null: the events of all users, and those without a user. */
  users: readonly string[] | null
  /**
   * Only events that arrived at this Unix ms or before. A later event of the same id is one of a new person.
   */
  until: number
}

/**
 * The tombstones of one file, and how far their events are removed. Two neighbours may become one batch at
 * any time: it has all their rows and the higher number, so a segment that was checked against the first one
 * alone is checked against it again.
 */
export type TombstoneBatch = {
  /**
   * Counts the erasures of the bucket, from 1. The generation of a segment is the last number that was known
   * when it was written.
   */
  number: number
  /** The lowest number of its rows. */
  first: number
  /** The part of its file's key that is not the number. */
  writer: string
  rows: number
  /** Unix ms. */
  createdAt: number
  /**
   * The last Unix second that the oldest tombstone of a person erases as a whole; null if all erase whole
   * projects.
   */
  oldestUntil: number | null
  /** The Unix second of `until` of the newest tombstone. */
  newestUntil: number
  /** The projects of the rows; null if they are more than MAX_LISTED_PROJECTS. */
  projects: readonly string[] | null
  /**
   * The last epoch whose hot files may have events of the batch; null until the events that arrived before it
   * had time to reach the lake.
   */
  lastEpoch: number | null
  /** The hot files of the epochs below this one have none of the events. */
  hotUntil: number
  /** When all files were first without the events, Unix ms; null before. */
  doneAt: number | null
  /** The events and files that were removed and rewritten so far. */
  removed: Removed
}

/** Of a batch whose events files may have again. */
export const NOTHING_DONE = { lastEpoch: null, hotUntil: 0, doneAt: null } as const

export type Removed = { events: number; files: number }

/** How many events one job has removed because of the tombstones with this number. */
export type RemovedEvents = { number: number; events: number }

/** What a new batch follows from. */
export type NewBatch = Pick<
  TombstoneBatch,
  'number' | 'first' | 'writer' | 'rows' | 'oldestUntil' | 'newestUntil' | 'projects'
>

/**
 * Until when tombstones of persons and of projects have arrived that are no longer needed, Unix seconds.
 * `unread`: no record that arrived in an earlier second is unread.
 */
export type ForgottenUntil = { persons: number; projects: number; unread: number }
