import type { Compactor } from '#core/lake/model/compactor'
import { parseSegmentKey } from '#core/lake/model/keys'
import type { SegmentId } from '#core/lake/model/segment'
import { ENTRY_COLUMNS } from '#core/lake/read/session-rule'
import type { Lake } from '#core/ports'
import { lakeWithOldFiles } from './old-files.ts'

/** What sessions did not have before segments knew their sources. */
export const SOURCE_COLUMNS = ['page_view_count' as const, ...ENTRY_COLUMNS]

/**
 * A lake and a compactor that write the segments of every other epoch as versions did whose segments did not
 * know the sources of sessions. What replaces such a segment is of today.
 */
export function withOldSegments(lake: Lake, create: (lake: Lake) => Compactor): Compactor {
  const isOldKey = (key: string) => {
    const file = parseSegmentKey(key)
    return file?.table === 'segment_sessions' && isOld(file.segment)
  }
  const compactor = create(lakeWithOldFiles(lake, SOURCE_COLUMNS, isOldKey))
  return {
    ...compactor,
    async compactEpoch(job) {
      const compacted = await compactor.compactEpoch(job)
      return compacted.map(each =>
        'failure' in each || each.segment === null || !isOld(each.segment)
          ? each
          : { ...each, segment: { ...each.segment, knowsSources: false } },
      )
    },
  }
}

/** A segment of one epoch, written first. */
function isOld({ from, until, generation }: SegmentId): boolean {
  return until - from === 1 && from % 2 === 1 && generation === 0
}
