import { expect, test } from 'vitest'
import { emptyManifest, type Manifest } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import { chooseSegments, manifestOfSegments, type StoredSegment } from '#core/lake/restore/choose-segments'

function segment(from: number, until = from + 1, rows = (until - from) * 10): Segment {
  return {
    ...{ from, until, generation: 0, parts: 1, rows, bytes: 1, firstAt: 0, lastAt: 0 },
    ...{ lastArrival: 0, eventIds: 0, erased: 0, knowsSplit: false, knowsSources: false },
  }
}

const stored = (from: number, until = from + 1, parts = 1): StoredSegment => ({
  ...{ from, until, generation: 0, parts, eventParts: parts, idParts: 0 },
})

function manifest(segments: Segment[], retired: Segment[] = []): Manifest {
  return {
    ...emptyManifest(7),
    version: 5,
    compacted: segments.at(-1)?.until ?? 1,
    segments,
    retired: retired.map(each => ({ ...each, retiredAt: 0 })),
  }
}

const ALL = Number.POSITIVE_INFINITY
const names = (choice: ReturnType<typeof chooseSegments>) =>
  choice?.segments.map(({ from, until }) => `${from}-${until}`)

test('a manifest whose files exist stays as it is', () => {
  const files = { stored: [stored(1, 5), stored(5), stored(6)], firstHot: 4, trustedUntil: ALL }
  expect(chooseSegments(manifest([segment(1, 5), segment(5)]), files)).toBeNull()
  expect(chooseSegments(emptyManifest(7), { stored: [], firstHot: 9, trustedUntil: ALL })).toBeNull()
})

test('a missing merged segment is replaced by the segments that it was merged from', () => {
  const merged = manifest([segment(1, 5), segment(5)], [segment(1, 3), segment(4), segment(3, 4)])
  const files = { stored: [1, 3, 4, 5].map(from => stored(from, from === 1 ? 3 : from + 1)), firstHot: 5 }
  const choice = chooseSegments(merged, { ...files, trustedUntil: ALL })
  expect(names(choice)).toEqual(['1-3', '3-4', '4-5', '5-6'])
  expect(choice?.compacted).toBe(6)
})

test('a missing segment that has hot files takes the watermark back to its first epoch', () => {
  const files = { stored: [stored(1, 5), stored(6)], firstHot: 3, trustedUntil: ALL }
  const choice = chooseSegments(manifest([segment(1, 5), segment(5), segment(6)]), files)
  expect(names(choice)).toEqual(['1-5'])
  expect(choice?.compacted).toBe(5)
})

test('a missing segment without hot files is left out, and later segments stay', () => {
  const files = { stored: [stored(1, 5), stored(6)], firstHot: 7, trustedUntil: ALL }
  const choice = chooseSegments(manifest([segment(1, 5), segment(5), segment(6)]), files)
  expect(names(choice)).toEqual(['1-5', '6-7'])
  expect(choice?.compacted).toBe(7)
})

test('a segment counts as missing when one of its parts is missing', () => {
  const large = { ...segment(5), parts: 3 }
  const files = { stored: [stored(1, 5), stored(5, 6, 2)], firstHot: 5, trustedUntil: ALL }
  expect(chooseSegments(manifest([segment(1, 5), large]), files)).toMatchObject({ compacted: 5 })
})

test('a segment without its rollups is compacted again from hot files, and without these it stays', () => {
  const whole = manifest([segment(1, 5), segment(5)])
  const files = { stored: [{ ...stored(1, 5), parts: 0 }, stored(5)], trustedUntil: ALL }
  expect(chooseSegments(whole, { ...files, firstHot: 1 })).toMatchObject({ segments: [], compacted: 1 })
  expect(chooseSegments(whole, { ...files, firstHot: 5 })).toBeNull()
})

test('a segment whose event_ids are missing is compacted again', () => {
  const whole = manifest([segment(1, 5), { ...segment(5), eventIds: 3 }])
  const files = { stored: [stored(1, 5), stored(5)], firstHot: 4, trustedUntil: ALL }
  expect(chooseSegments(whole, files)).toMatchObject({ compacted: 5 })
})

test('a manifest that was lost names the segments of the epochs whose hot files are deleted', () => {
  const files = {
    stored: [stored(1, 5), stored(2), stored(5), stored(7), stored(8), stored(1, 3)],
    firstHot: 8,
    trustedUntil: ALL,
  }
  const choice = chooseSegments(emptyManifest(7), files)
  expect(names(choice)).toEqual(['1-5', '5-6', '7-8'])
  expect(choice?.compacted).toBe(8)
})

test('a segment that was merged after the manifest was saved replaces segments that are deleted', () => {
  const files = { stored: [stored(1, 7), stored(7)], firstHot: 8, trustedUntil: ALL }
  const choice = chooseSegments(manifest([segment(1), segment(2)]), files)
  expect(names(choice)).toEqual(['1-7', '7-8'])
  expect(choice?.compacted).toBe(8)
})

test('an older manifest goes on with a segment that reaches into the epochs with hot files', () => {
  const files = { stored: [stored(1, 3), stored(3, 9)], firstHot: 5, trustedUntil: ALL }
  const choice = chooseSegments(manifest([segment(1, 3)]), files)
  expect(names(choice)).toEqual(['1-3', '3-9'])
  expect(choice?.compacted).toBe(9)
})

test('segments in which records may be missing are compacted again', () => {
  const retired = [segment(1, 3), segment(3), segment(4), segment(5)]
  const files = { stored: [stored(1, 6), ...retired.map(({ from, until }) => stored(from, until))] }
  const choice = chooseSegments(manifest([segment(1, 6), segment(6)], retired), {
    ...files,
    firstHot: 4,
    trustedUntil: 5,
  })
  expect(names(choice)).toEqual(['1-3', '3-4', '4-5'])
  expect(choice).toMatchObject({ compacted: 5, isAmbiguous: false })
})

test('a segment with both distrusted epochs and epochs without hot files is ambiguous', () => {
  const files = { stored: [stored(1, 6)], firstHot: 4, trustedUntil: 5 }
  expect(chooseSegments(manifest([segment(1, 6)]), files)).toMatchObject({ isAmbiguous: true })
})

test('the files of an epoch that is compacted again are no longer retired', () => {
  const old = manifest(
    [segment(1, 5), segment(5, 8)],
    [segment(1, 3), segment(3, 5), segment(5), segment(6, 8)],
  )
  const { retired, version } = manifestOfSegments(old, [segment(1, 3), segment(3, 5)], 5)
  expect(version).toBe(6)
  expect(retired).toEqual([])
  expect(manifestOfSegments(old, [segment(1, 5)], 5).retired.map(({ from }) => from)).toEqual([1, 3])
})
