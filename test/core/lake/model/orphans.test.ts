import { expect, test } from 'vitest'
import { countGeneration } from '#core/lake/compact/replaced-events'
import { emptyManifest, type Manifest } from '#core/lake/model/manifest'
import { createOrphanCheck } from '#core/lake/model/orphans'
import type { Segment } from '#core/lake/model/segment'

const SEGMENT: Segment = {
  ...{ from: 1, until: 2, generation: 0, parts: 1, rows: 1, bytes: 1, firstAt: 0, lastAt: 0 },
  ...{ lastArrival: 0, eventIds: 1, erased: 0, knowsSplit: false, knowsSources: false },
}
const before: Manifest = { ...emptyManifest(7), compacted: 2, segments: [SEGMENT] }

const isOrphan = (manifest: Manifest, generation: number) =>
  createOrphanCheck(manifest)({ from: 1, until: 2, generation }, 'segment_events')

test('a file that a replacement of events is writing is no orphan', () => {
  const counted = countGeneration(before)
  expect(isOrphan(counted, counted.tombstoneCount - 1)).toBe(false)
})

test('a file of a rewrite that came too late is an orphan once its segment is checked against later erasures', () => {
  const checked = (erased: number) => ({ ...before, segments: [{ ...SEGMENT, generation: 1, erased }] })
  expect([1, 3, 4].map(erased => isOrphan(checked(erased), 2))).toEqual([false, false, true])
})
