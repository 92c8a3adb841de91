import type { BotPurpose } from '#schemas/bot-traffic'

/**
 * Counts of events, bots and reads in the state table, so that no report scans the lake for them. Events are
 * counted twice. The consumer adds the counts of a claim to the open counts of its epoch, in a few items for
 * all projects and accounts. When the epoch is compacted, the numbers that its segment stores are folded into
 * the items of its projects and accounts. An item says up to which epoch it is folded, so a reader adds the
 * open counts of later epochs only.
 *
 * At every moment the counts of events equal the events that the lake stores, except for copies: a copy
 * counts until its epoch is folded.
 */

/** Events of one project, by UTC day of arrival. */
export type ProjectEvents = { project_id: string; account_id: string; day: string; events: number }

/** The times of the first and the last event, Unix ms. */
export type EventTimes = { first: number; last: number }

/** The events of one claim for one project and day. `bucket` is the project's part of the lake. */
export type ClaimedEvents = ProjectEvents & { bucket: number; times: EventTimes }

/** Open counts of one project and day, and the epoch that they belong to. */
export type OpenCount = ClaimedEvents & { epoch: number }

/** The claim that is counted. Claims of one shard ascend by `last`, a sequence. */
export type CountedClaim = { shard: string; epoch: number; last: string }

/** Events and reads. */
export type Usage = { events: number; reads: number }

/**
 * `times`: null for a project without events, and for one whose first event was counted before times were.
 */
export type ProjectTotals = Usage & { times: EventTimes | null }

/** Requests of one bot to one project within a quarter of an hour. */
export type BotCount = {
  project_id: string
  /** The UTC date. */
  day: string
  /** The quarter of an hour in the date, 0 to 95. A day of any time zone begins with one of them. */
  quarter: number
  category: string
  actor: string
  /** Of a crawler; absent for other bots, and in counts of an earlier version. */
  purpose?: BotPurpose | undefined
  requests: number
  dropped: number
  /** Unix ms of the last request. */
  last_seen_at: number
  /**
   * The rules that recognised the last request (core/ingest/bots.ts); null for a record of an earlier
   * version.
   */
  rules_version: string | null
}

/** Requests and dropped events of each quarter of an hour of a UTC day that has any. */
export type Quarters = Record<number, [requests: number, dropped: number]>

/** Requests of one bot to one project on one UTC day: the totals, and how they are spread over the day. */
export type BotDay = Omit<BotCount, 'quarter'> & { quarters: Quarters }

export type UsageCounters = {
  /**
   * Adds the counts of a claim to the open counts, with one write for each of their partitions. A claim that
   * is repeated, also by a process that was thought dead, is counted once. Call it while the claim is open,
   * so that no later claim of the shard is counted before.
   */
  addClaim(claim: CountedClaim, counts: readonly ClaimedEvents[]): Promise<void>
  /**
   * Folds what the segment of a closed epoch and bucket stores into the items of the projects and accounts:
   * from then on these numbers count, and the open counts of the epoch and bucket do not. May be repeated.
   * Call it after the segment is written and before the watermark moves; the epochs of a bucket in ascending
   * order, also those without stored events.
   */
  foldEpoch(epoch: number, bucket: number, stored: readonly ProjectEvents[]): Promise<void>
  /**
   * Deletes the open counts of folded epochs. `watermarks` are the manifests (or their watermarks); a bucket
   * that is not among them has folded nothing. An epoch that some buckets have not folded keeps the counts of
   * those buckets.
   */
  deleteFoldedCounts(watermarks: readonly { bucket: number; compacted: number }[]): Promise<void>
  /**
   * Adds the requests of bots once. `checkpoint` is the integer position of the batch in `source`: a shard's
   * sequence.
   */
  addBots(source: string, checkpoint: string, counts: readonly BotCount[]): Promise<void>
  /**
   * Counts metered reads (default: one) for the project and for the account; null for one that is not to be
   * counted.
   */
  addRead(projectId: string | null, accountId: string | null, day: string, reads?: number): Promise<void>
  /**
   * Counts one read of an owner's month in advance, unless the month has `max` already. Returns whether it
   * has counted.
   */
  reserveRead(owner: string, day: string, max: number): Promise<boolean>
  /** Takes back a read that was counted in advance. */
  releaseRead(owner: string, day: string): Promise<void>
  /** Returns the events and reads of each project over all time, in the order of the ids. */
  totals(projectIds: readonly string[]): Promise<ProjectTotals[]>
  /**
   * Returns the events and reads of a project or an account in one month (YYYY-MM), and on each day of it
   * with any.
   */
  month(owner: string, month: string): Promise<Usage & { days: Record<string, Usage> }>
  /** Returns the open counts of all projects: as many as projects have had events in the last epochs. */
  openCounts(): Promise<readonly OpenCount[]>
}
