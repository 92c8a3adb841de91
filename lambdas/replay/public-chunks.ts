import type { Replay } from '#core/replays/replay'
import type { ReplayChunk } from '#schemas/replays'

/** The chunks of a replay as callers see them, without the names of objects. */
export function publicChunks({ chunks }: Replay): ReplayChunk[] {
  return chunks.map(({ index, bytes, event_count, from, to }) => ({ index, bytes, event_count, from, to }))
}
