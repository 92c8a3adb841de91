import { unpackRecord } from '#core/ingest/record'
import type { Compactor } from '#core/lake/model/compactor'
import { isSame, type Manifest } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream } from '#core/ports'
import type { StoredSegment } from './choose-segments.ts'

export type UnreadSegmentsServices = {
  state: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'read' | 'shards'>
  compactor: Pick<Compactor, 'describeSegment'>
}

/**
 * The segments that the manifest does not know and that may have events of records which the consumer has not
 * read yet. The consumer will store these records, so such segments must not be used. `firstHot`: later
 * segments are never used.
 */
export async function findUnreadSegments(
  services: UnreadSegmentsServices,
  manifest: Manifest,
  stored: readonly StoredSegment[],
  firstHot: number,
): Promise<StoredSegment[]> {
  const known = [...manifest.segments, ...manifest.retired]
  const unknown = stored.filter(
    segment =>
      segment.parts > 0 &&
      segment.from < firstHot &&
      segment.until > manifest.compacted &&
      !known.some(each => isSame(each, segment)),
  )
  if (unknown.length === 0) return []
  const unreadSince = await firstUnreadArrival(services)
  if (unreadSince === Number.POSITIVE_INFINITY) return []
  const unread: StoredSegment[] = []
  for (const segment of unknown) {
    // A segment that cannot be read is not used either.
    const description = await services.compactor.describeSegment(manifest.bucket, segment).catch(() => null)
    if (description === null || description.lastArrival >= unreadSince) unread.push(segment)
  }
  return unread
}

/** Arrival of the oldest record that the consumer has not read, Unix seconds; infinite without one. */
async function firstUnreadArrival({ state, stream }: UnreadSegmentsServices): Promise<number> {
  const arrivals = (await stream.shards()).map(async name => {
    const { highWater } = await state.shard(name)
    const [next] = await stream.read(name, highWater, 1)
    return next === undefined ? Number.POSITIVE_INFINITY : arrivalOf(next.data)
  })
  return Math.min(Number.POSITIVE_INFINITY, ...(await Promise.all(arrivals)))
}

/** A record that cannot be read may have arrived at any time. */
function arrivalOf(data: Uint8Array): number {
  try {
    return Math.floor(unpackRecord(data).received_at / 1_000)
  } catch {
    return 0
  }
}
