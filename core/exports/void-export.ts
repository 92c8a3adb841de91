import type { ErasureFeed } from '#core/identity/erasure-feed'
import type { Export } from './export.ts'

export type ErasureList = Pick<ErasureFeed, 'list'>

/** How far the clocks of two processes may differ, ms. */
const SKEW_MS = 2_000

/** Whether a person of the project was erased after the export began, so that it may have their events. */
export async function isErasedSince(
  feed: ErasureList,
  { project_id, created_at }: Pick<Export, 'project_id' | 'created_at'>,
): Promise<boolean> {
  const { erasures } = await feed.list(project_id, created_at - SKEW_MS)
  return erasures.length > 0
}

export const ERASED =
  'A person was erased after the export had begun, so its files are deleted. Start it again.'
