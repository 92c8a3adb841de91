import type { Item } from '#core/state/query-all'
import { MAX_CHUNKS } from '#schemas/replays'
import type { Replay, StoredChunk } from './replay.ts'

/** The attributes of chunks: c0, c1 and so on. */
const CHUNK = /^c(\d{1,3})$/

/** The replay that an item of the state has (store.ts). */
export function toReplay(item: Item): Replay {
  const chunks = Object.entries(item).flatMap(([name, value]): StoredChunk[] => {
    const index = CHUNK.exec(name)?.[1]
    return index === undefined ? [] : [{ index: Number(index), ...(value as Omit<StoredChunk, 'index'>) }]
  })
  return {
    id: String(item.id),
    project_id: String(item.project_id),
    account_id: String(item.account_id),
    session_id: String(item.session_id),
    user_ids: [...((item.user_ids as Set<string> | undefined) ?? [])],
    page: typeof item.page === 'string' ? item.page : null,
    started_at: Number(item.started_at),
    created_at: Number(item.created_at),
    touched_at: Number(item.touched_at),
    committed_bytes: Number(item.committed_bytes),
    event_count: Number(item.event_count),
    has_full_snapshot: item.has_full === true,
    finished_chunks: typeof item.finished_chunks === 'number' ? item.finished_chunks : null,
    left_chunks: typeof item.left_chunks === 'number' ? item.left_chunks : null,
    is_removed: item.is_removed === true,
    chunks: chunks.toSorted((a, b) => a.index - b.index).slice(0, MAX_CHUNKS),
  }
}
