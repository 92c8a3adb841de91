import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addEpoch, dropRetired, emptyManifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'

const MB = 1024 * 1024
const SETTINGS = { mergeSegments: 8, mergeBytes: 24 * MB }

function segment(from: number, bytes = MB, until = from + 1): Segment {
  const times = { firstAt: 0, lastAt: 0, lastArrival: 0 }
  return {
    from,
    until,
    generation: 0,
    parts: 1,
    rows: 1,
    bytes,
    eventIds: 0,
    erased: 0,
    knowsSplit: false,
    knowsSources: false,
    ...times,
  }
}

/** The result of all merges that are due after each of these epochs was added. */
function compactAll(sizes: readonly number[]) {
  let manifest = emptyManifest(0)
  let writtenBytes = 0
  for (const [i, bytes] of sizes.entries()) {
    manifest = addEpoch(manifest, i + 1, segment(i + 1, bytes))
    for (;;) {
      const segments = nextMerge(manifest, SETTINGS)
      const [first, last] = [segments[0], segments.at(-1)]
      if (first === undefined || last === undefined) break
      const sum = segments.reduce((total, { bytes }) => total + bytes, 0)
      writtenBytes += sum
      const merged = segment(first.from, sum, last.until)
      manifest = replaceSegments(manifest, segments, merged, 0) ?? manifest
    }
  }
  return { manifest, writtenBytes }
}

test('an epoch is added in its order only, and one without events adds no segment', () => {
  const first = addEpoch(emptyManifest(3), 1, segment(1))
  expect(() => addEpoch(first, 1, segment(1))).toThrow('Bucket 3 is not at epoch 1')
  expect(addEpoch(first, 2, null)).toEqual({ ...first, version: 2, compacted: 3 })
})

test('segments are replaced only if the manifest still has exactly these', () => {
  const segments = [segment(1), segment(2), segment(3)]
  const manifest = { ...emptyManifest(0), segments }
  const merged = segment(1, MB, 3)
  const next = replaceSegments(manifest, segments.slice(0, 2), merged, 7)
  expect(next?.segments).toEqual([merged, segment(3)])
  expect(next?.retired).toEqual([
    { ...segment(1), retiredAt: 7 },
    { ...segment(2), retiredAt: 7 },
  ])
  if (next === null) throw new Error('not replaced')
  expect(replaceSegments(next, segments.slice(0, 2), merged, 8)).toBeNull()
  expect(replaceSegments(next, [segment(3), segment(4)], merged, 8)).toBeNull()
  expect(replaceSegments(manifest, [{ ...segment(1), generation: 1 }, segment(2)], merged, 8)).toBeNull()
})

test('a retired segment whose files are deleted leaves the manifest', () => {
  const retired = [
    { ...segment(1), retiredAt: 5 },
    { ...segment(2), retiredAt: 6 },
  ]
  expect(dropRetired({ ...emptyManifest(0), retired }, retired.slice(0, 1)).retired).toEqual(retired.slice(1))
})

test('merges keep the number of segments small, rewrite each event a few times, and exceed no limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1_000, max: 20 * MB }), { maxLength: 300 }), sizes => {
      const { manifest, writtenBytes } = compactAll(sizes)
      const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
      for (const { bytes, until, from } of manifest.segments)
        if (until > from + 1) expect(bytes).toBeLessThanOrEqual(SETTINGS.mergeBytes)
      // Full segments have at least half of the limit, and a few smaller ones stand between and after them.
      expect(manifest.segments.length).toBeLessThanOrEqual((total / SETTINGS.mergeBytes) * 4 + 20)
      expect(writtenBytes).toBeLessThanOrEqual(total * 4)
    }),
  )
})

test('a small bucket has a few segments after a month of epochs of ten minutes', () => {
  const { manifest, writtenBytes } = compactAll(Array.from({ length: 30 * 144 }, () => 3_000))
  expect(manifest.segments.length).toBeLessThan(25)
  expect(writtenBytes).toBeLessThan(30 * 144 * 3_000 * 12)
})
