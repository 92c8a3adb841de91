import { expect, test } from 'vitest'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { comparedSegments, isCompared, isSplitKnown } from '#core/lake/compact/split-sessions'
import { addEpoch, emptyManifest, type Manifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import { segmentOf } from '#test/support/fixed-lake'

const EPOCH_MS = 600_000
const EPOCHS_A_DAY = 144
const EVENT_BYTES = 25

test('a segment of 20,000 events is compared with older ones of at most 512 times as many', () => {
  const older = [segmentOf({ rows: 5_120_000 }), segmentOf({ rows: 5_120_000 })]
  const largerOlder = [...older, segmentOf({ rows: 1 })]
  expect([isCompared(20_000, older), isCompared(20_000, largerOlder)]).toEqual([true, false])
  expect([isCompared(19_999, []), isCompared(19_999, [], 0)]).toEqual([false, true])
})

test('segments know which sessions are split if at most a quarter of their events is in segments that do not', () => {
  const known = segmentOf({ rows: 3, knowsSplit: true })
  expect(isSplitKnown([known, segmentOf({ rows: 1 })])).toBe(true)
  expect(isSplitKnown([known, segmentOf({ rows: 2 })])).toBe(false)
})

test.each([
  [100_000_000, 30],
  [300_000_000, 90],
])(
  'in a bucket of %d events in %d days, each moment of the last day knows which sessions are split',
  (events, days) => {
    const rows = Math.ceil(events / (days * EPOCHS_A_DAY))
    let manifest = emptyManifest(63)
    let unknown = 0
    for (let epoch = 1; epoch <= days * EPOCHS_A_DAY; epoch++) {
      const now = epoch * EPOCH_MS
      const times = { firstAt: now - EPOCH_MS, lastAt: now, lastArrival: now / 1_000 }
      const added = segmentOf({ rows, bytes: EVENT_BYTES * rows, ...times, from: epoch, until: epoch + 1 })
      manifest = mergeAll(addEpoch(manifest, epoch, compare(added, manifest.segments)), now)
      if (epoch > (days - 1) * EPOCHS_A_DAY && !isSplitKnown(manifest.segments)) unknown += 1
    }
    expect(manifest.segments.reduce((sum, segment) => sum + segment.rows, 0)).toBeGreaterThanOrEqual(events)
    expect(unknown).toBe(0)
  },
)

/** What a compaction or a merge says of a new segment. */
function compare(segment: Segment, older: readonly Segment[]): Segment {
  return { ...segment, knowsSplit: isCompared(segment.rows, comparedSegments(older, segment.firstAt)) }
}

function mergeAll(given: Manifest, now: number): Manifest {
  let manifest = given
  for (;;) {
    const chosen = nextMerge(manifest, MAINTENANCE_DEFAULTS)
    const [first, last] = [chosen[0], chosen.at(-1)]
    if (first === undefined || last === undefined) return { ...manifest, retired: [] }
    const sum = (name: 'rows' | 'bytes') => chosen.reduce((total, segment) => total + segment[name], 0)
    const { from, firstAt } = first
    const merged = { ...last, from, firstAt, rows: sum('rows'), bytes: sum('bytes') }
    const older = manifest.segments.filter(segment => segment.from < from)
    manifest = replaceSegments(manifest, chosen, compare(merged, older), now) ?? manifest
  }
}
