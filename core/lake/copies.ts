/**
 * Copies of an event_id that arrive within these seconds of each other are one event (contract 1.1). A hot copy is compared with
 * the hot copy before it and with all stored ones. The results differ only for a chain of hot copies that is longer than a
 * day: compaction would keep the first copy of every day.
 */
export const EVENT_ID_HORIZON_S = 86_400

/**
 * How far before the newest event of a bucket its segments know the ids of events, seconds. Copies are dropped within the
 * horizon; the other 6 hours allow for a consumer that is behind.
 */
export const LOOKBACK_S = EVENT_ID_HORIZON_S + 6 * 3_600

/**
 * Events without an event_id are known for these seconds before the newest arrival of their shard in an epoch. When the answer
 * to an append gets lost, the producer appends the record again to the same shard within that time.
 */
export const APPEND_RETRY_S = 15 * 60
