import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { addEpoch, emptyManifest, type Manifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import { createManifestItems, manifestPointers } from '#core/lake/model/manifest-items'
import type { Segment } from '#core/lake/model/segment'
import { DAY_MS } from '#core/time'
import { mapSize } from '#local/state/values'
import { MANIFEST_BYTES } from '#schemas/manifests'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { isDeepRun } from '#test/support/depth'
import { segmentOf } from '#test/support/fixed-lake'
import { openTestState, type TestState } from '#test/support/test-state'

/**
 * One site that has all events: its bucket gets a segment in every epoch. The manifest is made by the real
 * functions, and saved in a real state table. With the manifest in the item, DynamoDB refused it after 12 to
 * 15 months of 2B events, after 15.6 hours of 30,000 a second, and after 78 GB of large events.
 */

/** The bytes of a stored event with its rollups (cost/segments.ts). */
const EVENT_BYTES = 19.4
const HOT_EVENT_BYTES = 30
const SITES = [
  {
    name: '2B events a month',
    rate: 2e9 / (365.25 / 12) / 86_400,
    bytes: EVENT_BYTES,
    days: 3 * 365,
    few: 30,
  },
  { name: '30,000 events a second', rate: 30_000, bytes: EVENT_BYTES, days: 7, few: 0.7 },
  // Of the text of an event nothing is taken to be compressed.
  { name: '300 events of 8 KB a second', rate: 300, bytes: 8_192, days: 7, few: 0.2 },
]
/** The whole time takes minutes. In `npm test` the first `few` days are enough for some pages. */
const IS_DEEP = isDeepRun()
/** An item is at most so large, whatever a bucket holds. */
const ITEM_BYTES = 200

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test.each(SITES)(
  'the item of a bucket stays small with one site of $name',
  { timeout: 1_800_000 },
  async site => {
    await state.empty()
    const lake = createSimulatedLake()
    const clock = { now: () => Date.UTC(2026, 0, 1) }
    const items = createManifestItems(manifestPointers(state), { lake, clock })
    const manifest = play(site, IS_DEEP ? site.days : site.few)
    // As if the one before it had been saved.
    await items.saveManifest({ ...manifest, version: 1 })
    const writing = performance.now()
    await items.saveManifest({ ...addEpoch(manifest, manifest.compacted, null), version: 2 })
    const writeMs = performance.now() - writing
    const fresh = createManifestItems(manifestPointers(state), { lake, clock })
    const reading = performance.now()
    const read = await fresh.readManifest(0)
    const readMs = performance.now() - reading
    expect(read?.segments).toEqual(manifest.segments)
    expect(manifest.segments.length).toBeGreaterThan(1_000)

    const { Items = [] } = await state.client.scan({ TableName: state.table })
    const itemBytes = Math.max(...Items.map(mapSize))
    const [head] = await fresh.readHeads()
    const pages = lake.keys('manifests/bucket=0/page-')
    const pageBytes = pages.reduce((sum, key) => sum + (lake.objects.get(key)?.length ?? 0), 0)
    expect(itemBytes).toBeLessThan(ITEM_BYTES)
    expect(head?.bytes).toBeLessThan(MANIFEST_BYTES * 0.6)
    console.info(
      `${site.name}: ${manifest.segments.length} segments, ${manifest.retired.length} retired; item ${itemBytes} bytes, object ${head?.bytes}, ${pages.length} pages of ${pageBytes} together; written in ${writeMs.toFixed(1)} ms, read with all pages in ${readMs.toFixed(1)} ms`,
    )
  },
)

/** The manifest of the bucket after so many days. */
function play({ rate, bytes }: (typeof SITES)[number], days: number): Manifest {
  const { epochMs, epochBytes, keepSupersededMs } = MAINTENANCE_DEFAULTS
  const hotBytes = Math.max(HOT_EVENT_BYTES, bytes)
  // Maintenance looks once a second.
  const step = Math.max(1_000, Math.min(epochMs, (epochBytes / hotBytes / rate) * 1_000))
  const events = (rate * step) / 1_000
  const { next: random } = createRandom(1)
  let manifest = emptyManifest(0)
  const stable: Segment[] = []
  for (let at = step; at < days * DAY_MS; at += step) {
    const epoch = manifest.compacted
    const times = { firstAt: at - step, lastAt: at, lastArrival: Math.floor(at / 1_000) }
    const rows = Math.round(events * (0.9 + random() / 5))
    const size = { rows, bytes: Math.round(rows * bytes * (0.95 + random() / 10)) }
    manifest = addEpoch(manifest, epoch, segmentOf({ from: epoch, until: epoch + 1, ...size, ...times }))
    for (;;) {
      const chosen = nextMerge(manifest, MAINTENANCE_DEFAULTS)
      const [first, last] = [chosen[0], chosen.at(-1)]
      if (first === undefined || last === undefined) break
      const sum = (name: 'rows' | 'bytes') => chosen.reduce((total, segment) => total + segment[name], 0)
      const merged = {
        ...last,
        from: first.from,
        firstAt: first.firstAt,
        rows: sum('rows'),
        bytes: sum('bytes'),
      }
      manifest = replaceSegments(manifest, chosen, merged, at) ?? manifest
    }
    // No merge looks so far back: half of the bytes of a merge are in a few of the newest.
    if (manifest.segments.length > 4_000) {
      stable.push(...manifest.segments.slice(0, 2_000))
      manifest = { ...manifest, segments: manifest.segments.slice(2_000) }
    }
    const isOld =
      manifest.retired[0] !== undefined && manifest.retired[0].retiredAt <= at - 2 * keepSupersededMs
    if (isOld) {
      const retired = manifest.retired.filter(({ retiredAt }) => retiredAt > at - keepSupersededMs)
      manifest = { ...manifest, retired }
    }
  }
  return { ...manifest, segments: [...stable, ...manifest.segments] }
}
