/** The compaction engine: it reads and writes Parquet files (duckdb/compactor.ts). Keys are made by core/lake/keys.ts. */

export type EpochCompactionJob = {
  epoch: number
  /** All hot files of the epoch, in ascending order of their keys. */
  hot: readonly string[]
  /** The warm files of the dedupe look-back (state.ts). An event_id that is in one of them is not stored again. */
  lookback: readonly string[]
  /** Only projects with bucket mod `parts` = `part`. */
  part: number
  parts: number
}

/** Copies that a compaction did not store, so that the counters can be corrected. `day` is the UTC date of arrival. */
export type DroppedCopies = { project_id: string; day: string; events: number }

export type ColdCompactionJob = {
  /** The epochs from <= epoch < until. */
  from: number
  until: number
  bucket: number
  /** The warm files of the bucket in these epochs. */
  warm: readonly string[]
}

/** Both functions are pure: a job that runs again writes the same keys with the same rows. */
export type Compactor = {
  /** Writes warmKey(epoch, bucket) for each bucket of the part that has rows. */
  compactEpoch(job: EpochCompactionJob): Promise<DroppedCopies[]>
  /** Writes coldKey(table, date, bucket, from, until) of the three cold tables, for each date that has rows. */
  compactToCold(job: ColdCompactionJob): Promise<void>
}
