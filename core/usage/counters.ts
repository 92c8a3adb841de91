/**
 * Counts of events, bots and reads, kept beside the lake so that no report scans it for them. One item an
 * (owner, UTC month, source), where the source is the shard that counted: a batch is added once, as the item keeps the
 * last sequence number it has counted. Readers add the sources up.
 */

/** What one batch adds for one owner: a project's or an account's id. Days are days of arrival, UTC, YYYY-MM-DD. */
export type EventCount = { owner: string; day: string; events: number }
export type BotCount = {
  project_id: string
  day: string
  category: string
  actor: string
  requests: number
  dropped: number
  /** Unix ms of the latest. */
  last_seen_at: number
}

export type UsageCounters = {
  /**
   * Adds a batch once: `mark` is the place of the batch in `source` (a shard's sequence, an epoch), zero-padded by the
   * store so that marks compare; an item that has counted this mark or a later one is left alone.
   */
  addEvents(source: string, mark: string, counts: readonly EventCount[]): Promise<void>
  /** The same for bots, whose requests are counted apart. */
  addBots(source: string, mark: string, counts: readonly BotCount[]): Promise<void>
  /** Counts one metered read of a project, for it and for its account. */
  addRead(projectId: string, accountId: string, day: string): Promise<void>
  /** Events and reads of an owner over all time. */
  totals(owner: string): Promise<{ events: number; reads: number }>
  /** Events and reads of an owner in one month (YYYY-MM), and on those of its days that have any. */
  month(
    owner: string,
    month: string,
  ): Promise<{ events: number; reads: number; days: Record<string, { events: number; reads: number }> }>
}
