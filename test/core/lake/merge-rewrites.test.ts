import { expect, test } from 'vitest'
import {
  addEpoch,
  emptyManifest,
  isMergeable,
  type Manifest,
  nextMerge,
  replaceSegments,
} from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'

const MB = 1024 * 1024
const SETTINGS = { mergeSegments: 8, mergeBytes: 24 * MB }

function segment(from: number, until: number, bytes: number): Segment {
  return {
    ...{
      from,
      until,
      bytes,
      generation: 0,
      parts: 1,
      rows: 1,
      eventIds: 0,
      erased: 0,
      knowsSplit: false,
      knowsSources: false,
    },
    ...{ firstAt: 0, lastAt: 0, lastArrival: 0 },
  }
}

/**
 * Adds an epoch of each size, one a turn. A worker takes the merge jobs one after the other, as they were
 * sent, and needs `turns` for each. Returns how often a byte is rewritten on average. `isDue` decides whether
 * a job still does anything when its turn comes.
 */
function rewrites(
  sizes: readonly number[],
  turns: number,
  isDue: (segments: readonly Segment[]) => boolean,
): number {
  let manifest: Manifest = emptyManifest(0)
  let written = 0
  const sent = new Set<string>()
  const queue: { from: number; until: number }[] = []
  let running: { segments: readonly Segment[]; endsAt: number } | null = null
  for (let turn = 0; turn < sizes.length + 100; turn++) {
    const bytes = sizes[turn]
    if (bytes !== undefined) manifest = addEpoch(manifest, turn + 1, segment(turn + 1, turn + 2, bytes))
    const due = nextMerge(manifest, SETTINGS)
    const [first, last] = [due[0], due.at(-1)]
    if (first !== undefined && last !== undefined && !sent.has(`${first.from}-${last.until}`)) {
      sent.add(`${first.from}-${last.until}`)
      queue.push({ from: first.from, until: last.until })
    }
    if (running !== null && turn >= running.endsAt) {
      const { segments } = running
      const sum = segments.reduce((total, each) => total + each.bytes, 0)
      written += sum
      const merged = segment((segments[0] as Segment).from, (segments.at(-1) as Segment).until, sum)
      manifest = replaceSegments(manifest, segments, merged, 0) ?? manifest
      running = null
    }
    while (running === null && queue.length > 0) {
      const { from, until } = queue.shift() as { from: number; until: number }
      const segments = manifest.segments.filter(each => each.from >= from && each.until <= until)
      const isWhole = segments[0]?.from === from && segments.at(-1)?.until === until
      if (segments.length >= 2 && isWhole && isDue(segments)) running = { segments, endsAt: turn + turns }
    }
  }
  return written / sizes.reduce((total, each) => total + each, 0)
}

test.each([
  // Epochs of a flood of 2.6 million events: 12, 15 and 17 MB were merged one after the other.
  ['epochs of 2 to 4 MB, while a merge takes as long as five of them', [4, 4, 4, 3, 2, 4, 3, 4], 5, 3.2, 1.3],
  ['a day of steady epochs of 1 MB', Array(144).fill(1), 5, 3.4, 1.5],
  ['merges that take less than one epoch', Array(144).fill(1), 0, 3.1, 1.5],
] as const)(
  'bytes are rewritten less often if jobs for a run that grew meanwhile do nothing: %s',
  (_, megabytes, turns, before, after) => {
    const sizes = megabytes.map(size => size * MB)
    expect(
      [rewrites(sizes, turns, () => true), rewrites(sizes, turns, isMergeable)].map(
        each => Math.round(each * 10) / 10,
      ),
    ).toEqual([before, after])
  },
)
