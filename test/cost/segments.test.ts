import { expect, test } from 'vitest'
import { MAINTENANCE } from '#aws/maintenance-settings'
import { addEpoch, emptyManifest, type Manifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import { DAY_MS } from '#core/time'
import { newestSegments, olderSegments, rewrites } from '#cost/segments'
import { system } from '#cost/system'
import { segmentOf } from '#test/support/fixed-lake'

/** Compares the estimates of cost/segments.ts with a year of real manifests. */

const DAYS = 365
const { daysPerMonth } = system

/**
 * Mean numbers of the segments of one bucket over the last 300 days: in the last 31 days, and in the 35 days
 * before them.
 */
function simulateYear(bytesPerMonth: number, epochMinutes: number) {
  const epochMs = epochMinutes * 60_000
  const epochBytes = (bytesPerMonth / daysPerMonth / DAY_MS) * epochMs
  let manifest = emptyManifest(0)
  const sums = { newest: 0, older: 0, samples: 0, mergedBytes: 0, bytes: 0 }
  for (let epoch = 1; epoch * epochMs < DAYS * DAY_MS; epoch++) {
    const at = epoch * epochMs
    const times = { firstAt: at - epochMs, lastAt: at - 1 }
    manifest = addEpoch(manifest, epoch, {
      ...segmentOf({ from: epoch, until: epoch + 1, bytes: epochBytes, ...times }),
    })
    sums.bytes += epochBytes
    manifest = mergeAll(manifest, merged => {
      sums.mergedBytes += merged.bytes
    })
    if (at < 65 * DAY_MS) continue
    const [rangeStart, searchStart] = [at - 31 * DAY_MS, at - 66 * DAY_MS]
    sums.newest += manifest.segments.filter(({ lastAt }) => lastAt >= rangeStart).length
    sums.older += manifest.segments.filter(
      ({ firstAt, lastAt }) => lastAt >= searchStart && firstAt < rangeStart,
    ).length
    sums.samples += 1
  }
  return {
    newest: sums.newest / sums.samples,
    older: sums.older / sums.samples,
    rewrites: sums.mergedBytes / sums.bytes,
  }
}

function mergeAll(manifest: Manifest, onMerge: (merged: Segment) => void): Manifest {
  for (let current = manifest; ; ) {
    const chosen = nextMerge(current, MAINTENANCE)
    const [first, last] = [chosen[0], chosen.at(-1)]
    if (first === undefined || last === undefined) return current
    const bytes = chosen.reduce((sum, segment) => sum + segment.bytes, 0)
    const merged = { ...first, until: last.until, lastAt: last.lastAt, bytes }
    onMerge(merged)
    current = { ...(replaceSegments(current, chosen, merged, 0) ?? current), retired: [] }
  }
}

test.each([
  [2e6, 15],
  [20e6, 15],
  [20e6, 60],
  [200e6, 15],
  [2_000e6, 30],
])(
  'with %d bytes a month and epochs of %d minutes the estimates are near a real bucket',
  (bytes, minutes) => {
    const simulated = simulateYear(bytes, minutes)
    const range = { bytes: (bytes / daysPerMonth) * 31, epochs: (31 * 1_440) / minutes }
    expect(newestSegments(range) / simulated.newest).toBeGreaterThan(0.85)
    expect(newestSegments(range) / simulated.newest).toBeLessThan(1.5)
    const older = olderSegments({ bytes: (bytes / daysPerMonth) * 35, epochs: (35 * 1_440) / minutes })
    expect(older / simulated.older).toBeGreaterThan(0.85)
    expect(older / simulated.older).toBeLessThan(1.6)
    // Small segments are rewritten more often than the estimate says, but have few bytes.
    if (bytes < 200e6) return
    expect(rewrites((bytes / daysPerMonth / 1_440) * minutes) / simulated.rewrites).toBeGreaterThan(0.9)
  },
)

test('a bucket without events has no segments, and never more segments than epochs', () => {
  expect(newestSegments({ bytes: 0, epochs: 0 })).toBe(0)
  expect(olderSegments({ bytes: 0, epochs: 0 })).toBe(0)
  expect(newestSegments({ bytes: 1e6, epochs: 3 })).toBe(3)
  expect(olderSegments({ bytes: 1e3, epochs: 0.1 })).toBe(0.1)
})
