/**
 * Copies of an event_id that arrive within these seconds of each other are one event (docs/api/ingestion.md).
 * Anybody can send one with the public token, so a copy that came with a credential wins over those without,
 * also over one that is stored already (U63). copy-rule.ts has this rule as SQL.
 *
 * The last bit of an event_key (core/lake/consume/id-keys.ts) says whether the event came with a credential.
 * A hot event is a copy
 * - if an event with the same event_key came before it: the hot one before it, or any stored one;
 * - and without a credential, also if one with a credential is there, stored or hot, before or after it. A
 *   stored event without a credential is replaced if a hot one with a credential is there: reads hide it
 *   (hidden-events.ts), and the compaction of the hot one writes its segment anew without it
 *   (replaced-events.ts). A stored event that arrived later than the hot one by the clock is of a clock that
 *   was ahead, so it counts as one before. The results differ only for a chain of hot copies that is longer
 *   than a day: compaction would keep the first copy of every day. Hot copies in one epoch are ordered only
 *   by arrival. So if the first copy was dated by a clock that was more than a day ahead, both are stored.
 *   This needs two processes whose clocks differ by more than a day. One process never dates an arrival
 *   earlier than the one before (core/ingest/ids.ts). On one machine, a start after such a clock opens a new
 *   epoch (core/lake/restore/close-epoch.ts).
 */
export const EVENT_ID_HORIZON_S = 86_400

/**
 * Arrivals that are further apart, s, may be of a clock that was set, or of a pause. Nobody can tell which,
 * so the ids of both sides stay known (segmentsWithEventIds).
 */
export const JUMP_S = 6 * 3_600

/**
 * How far before the newest event of a bucket its segments know the ids of events, seconds. Copies are
 * dropped within the horizon; the rest allows for a consumer that is behind, and for a clock that was ahead
 * by less than a jump.
 */
export const LOOKBACK_S = EVENT_ID_HORIZON_S + JUMP_S

/**
 * Events without an event_id are known for these seconds before the newest arrival of their shard in an
 * epoch. When the answer to an append gets lost, the producer appends the record again to the same shard
 * within that time.
 */
export const APPEND_RETRY_S = 15 * 60
