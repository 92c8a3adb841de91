/**
 * Counts of events, bots and reads in the state table, so that no report scans the lake for them. Each (owner, UTC month,
 * source) has one item; the source is the shard or the compaction that counts. The item keeps a checkpoint, the last
 * batch that it has counted, so that a retry counts nothing twice. Readers add the sources up.
 */

/** The events of one batch for one owner, which is the id of a project or an account. Days are UTC days of arrival. */
export type EventCount = { owner: string; day: string; events: number }
export type BotCount = {
  project_id: string
  day: string
  category: string
  actor: string
  requests: number
  dropped: number
  /** Unix ms of the last request. */
  last_seen_at: number
  /** The rules that recognised the last request (core/ingest/bots.ts); null for a record of an earlier version. */
  rules_version: string | null
}

export type UsageCounters = {
  /**
   * Adds a batch once. `checkpoint` is the integer position of the batch in `source`: a shard's sequence, or an epoch. An
   * item that has counted this checkpoint or a later one does not change.
   */
  addEvents(source: string, checkpoint: string, counts: readonly EventCount[]): Promise<void>
  /** Adds the requests of bots once, like addEvents. */
  addBots(source: string, checkpoint: string, counts: readonly BotCount[]): Promise<void>
  /** Counts one metered read for the project and for the account; null for one that is not to be counted. */
  addRead(projectId: string | null, accountId: string | null, day: string): Promise<void>
  /** Counts one read of an owner's month in advance, unless the month has `max` already. Returns whether it has counted. */
  reserveRead(owner: string, day: string, max: number): Promise<boolean>
  /** Takes back a read that was counted in advance. */
  releaseRead(owner: string, day: string): Promise<void>
  /** Returns the events and reads of an owner over all time. */
  totals(owner: string): Promise<{ events: number; reads: number }>
  /** Returns the events and reads of an owner in one month (YYYY-MM), and on each day of it with any. */
  month(
    owner: string,
    month: string,
  ): Promise<{ events: number; reads: number; days: Record<string, { events: number; reads: number }> }>
}
