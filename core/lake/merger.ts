/** What compaction asks of an engine that reads and writes Parquet (duckdb/merger.ts). Keys are of core/lake/keys.ts. */

export type CompactJob = {
  epoch: number
  /** Hot files of the epoch, all of them, in ascending key order. */
  hot: readonly string[]
  /** Warm files of the neighbours (state.ts) before this epoch: an event_id that is there is not stored again. */
  recent: readonly string[]
  /** Only projects with bucket mod parts = part. */
  part: number
  parts: number
}

/** What a compaction dropped, so that the counters can be put right. `day` is the UTC day of arrival. */
export type Dropped = { project_id: string; day: string; events: number }

export type RollJob = {
  /** Epochs [from, until). */
  from: number
  until: number
  bucket: number
  /** The warm files of that bucket and those epochs. */
  warm: readonly string[]
}

/** Both are pure: the same job writes the same keys with the same rows, however often it runs. */
export type Merger = {
  /** Writes warmKey(epoch, bucket) for every bucket of the part that has rows. */
  compact(job: CompactJob): Promise<Dropped[]>
  /** Writes coldKey(table, date, bucket, from, until) of events_cold, visits_cold, activity_cold for every date that has rows. */
  roll(job: RollJob): Promise<void>
}
