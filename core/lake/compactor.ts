/** What compaction asks of an engine that reads and writes Parquet (duckdb/compactor.ts). Keys are of core/lake/keys.ts. */

export type EpochCompactionJob = {
  epoch: number
  /** Hot files of the epoch, all of them, in ascending key order. */
  hot: readonly string[]
  /** Warm files of the neighbours (state.ts) before this epoch: an event_id that is there is not stored again. */
  lookback: readonly string[]
  /** Only projects with bucket mod parts = part. */
  part: number
  parts: number
}

/** What a compaction dropped, so that the counters can be put right. `day` is the UTC day of arrival. */
export type DroppedCopies = { project_id: string; day: string; events: number }

export type ColdCompactionJob = {
  /** Epochs [from, until). */
  from: number
  until: number
  bucket: number
  /** The warm files of that bucket and those epochs. */
  warm: readonly string[]
}

/** Both are pure: the same job writes the same keys with the same rows, however often it runs. */
export type Compactor = {
  /** Writes warmKey(epoch, bucket) for every bucket of the part that has rows. */
  compactEpoch(job: EpochCompactionJob): Promise<DroppedCopies[]>
  /** Writes coldKey(table, date, bucket, from, until) of events_cold, sessions_cold, activity_cold for every date that has rows. */
  compactToCold(job: ColdCompactionJob): Promise<void>
}
