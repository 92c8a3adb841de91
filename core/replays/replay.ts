import { createHash } from 'node:crypto'
import { DAY_MS, utcDate } from '#core/time'
import { REPLAY_LIMITS, REPLAY_PREFIX, type ReplayChunk, type ReplayRecord } from '#schemas/replays'

/** A replay as the state has it. */
export type Replay = {
  id: string
  project_id: string
  account_id: string
  session_id: string
  /** Ids under which the visitor sent: at most one for each chunk, and that of the start. */
  user_ids: readonly string[]
  /** The path of the first page, or null. */
  page: string | null
  /** Unix ms: when the recorder began, and when the service heard of it. */
  started_at: number
  created_at: number
  /** When the last chunk came, Unix ms. */
  touched_at: number
  committed_bytes: number
  event_count: number
  has_full_snapshot: boolean
  /** How many chunks the recorder has made; null while it has not said that it ended. */
  finished_chunks: number | null
  /** How many chunks it had made when its page was left; null while no page was left. */
  left_chunks: number | null
  /** Its deletion has begun: it takes no more chunks, and objects of its chunks may be gone. */
  is_removed: boolean
  /** In the order of their index; one that never came is missing. */
  chunks: readonly StoredChunk[]
}

/** A chunk, and the name of the object that has it. */
export type StoredChunk = ReplayChunk & { object: string }

/** A recording without a chunk for this time has ended, though its page could not say so. */
const SILENCE_MS = 30 * 60_000

const REPLAY_ID = /^rpl_[0-9a-f]{12}[0-9a-f]{20}$/

/**
 * The id of a replay: the time of its start, so that ids are in the order of time, and 80 bits that nobody
 * can guess. It is a function of what the recorder sends, so a start that is sent again means the same
 * replay.
 */
export function replayIdOf(
  projectId: string,
  { session_id, start_id, started_at }: { session_id: string; start_id: string; started_at: number },
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([projectId, session_id, start_id]))
    .digest('hex')
  return prefixOf(started_at) + hash.slice(0, 20)
}

function prefixOf(startedAt: number): string {
  return `rpl_${startedAt.toString(16).padStart(12, '0')}`
}

/** An id of another form is unknown without a read of the table. */
export function isReplayId(text: string): boolean {
  return REPLAY_ID.test(text)
}

/** When a replay began, Unix ms, by its id. */
export function startOf(id: string): number {
  return Number.parseInt(id.slice(4, 16), 16)
}

const RETENTION_MS = REPLAY_LIMITS.retention_days * DAY_MS

/**
 * Whether a replay has expired. The table deletes expired items up to two days late, so each read asks.
 * `now`: Unix ms.
 */
export function isExpired(id: string, now: number): boolean {
  return startOf(id) <= now - RETENTION_MS
}

/** The ids of all replays that have not expired come after this text. */
export function beforeReadable(now: number): string {
  return prefixOf(now - RETENTION_MS + 1)
}

/** The ids of all replays that began before this Unix ms come before this text. */
export function beforeStart(at: number): string {
  return prefixOf(at)
}

/** The objects of a replay have this prefix. Its first part is the UTC day, so that a whole day can go. */
export function objectsPrefix(id: string): string {
  return `${REPLAY_PREFIX}${utcDate(startOf(id))}/${id}/`
}

/**
 * `recording` until the recorder ends, its page is left, or it is silent; `complete` if all its chunks came.
 * A page that is left may be followed by another one of the tab: with its first chunk the replay goes on.
 */
export function statusOf(replay: Replay, now: number): ReplayRecord['status'] {
  const { chunks, touched_at } = replay
  const made = replay.finished_chunks ?? leftAt(replay)
  if (made === null) return now - touched_at < SILENCE_MS ? 'recording' : 'incomplete'
  return chunks.length === made ? 'complete' : 'incomplete'
}

function leftAt({ left_chunks, chunks }: Replay): number | null {
  return left_chunks !== null && chunks.every(({ index }) => index < left_chunks) ? left_chunks : null
}

/** The record of docs/api/replays.md. */
export function toRecord(replay: Replay, now: number): ReplayRecord {
  const { id, project_id, session_id, started_at, committed_bytes, event_count, has_full_snapshot } = replay
  return {
    id,
    status: statusOf(replay, now),
    project_id,
    analytics_session_id: session_id,
    started_at,
    committed_bytes,
    event_count,
    has_full_snapshot,
    duration_ms: durationOf(replay),
    user_id: replay.user_ids.at(-1) ?? null,
    entry_page: replay.page,
  }
}

/** From the first event to the last one, ms. */
function durationOf({ chunks }: Replay): number {
  const times = chunks.flatMap(({ from, to }) => [from, to])
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
}

/** Seconds since 1970: when the items of a replay expire. */
export function expiryOf(startedAt: number): number {
  return Math.floor(startedAt / 1_000) + REPLAY_LIMITS.retention_days * 86_400
}
