import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import {
  dueMerge,
  emptyLinks,
  hopsOf,
  KEEP_RETIRED_MS,
  type LinksManifest,
  replaceLevels,
  splitRetired,
  sumRows,
  youngLevel,
} from '#core/identity/links/levels'

/** DynamoDB refuses larger items. */
const ITEM_BYTES = 400 * 1024
const SECONDS_OF_A_YEAR = 365 * 86_400

/** What the fold does to the item of a bucket, without files. */
function fold(given: LinksManifest, rows: number, now: number): LinksManifest {
  const young = youngLevel(given)
  const level = (count: number) => ({ number: manifest.last + 1, writer: '0123456789ab', rows: count })
  let manifest = given
  const replaced = young === null ? [] : [young]
  manifest = replaceLevels(manifest, replaced, { ...level(rows + sumRows(replaced)), moves: true }, now)
  const due = dueMerge(manifest)
  if (due.length > 1) manifest = replaceLevels(manifest, due, level(sumRows(due)), now)
  return { ...manifest, retired: splitRetired(manifest, now - KEEP_RETIRED_MS).retired }
}

test('in a year of folds the item that names the links files of a bucket stays small, and each row is written about log2 times', () => {
  const { next } = createRandom(1)
  let manifest = emptyLinks(7)
  let [largest, mostLevels, rows, written] = [0, 0, 0, 0]
  // The busiest hour has a fold each second; the rest of the year has one every few minutes.
  for (let now = 0, i = 0; now < SECONDS_OF_A_YEAR * 1_000; i++) {
    now += i < 3_600 ? 1_000 : 60_000 + Math.floor(next() * 600_000)
    const added = next() < 0.01 ? 20_000 : 1 + Math.floor(next() * 50)
    const before = manifest
    manifest = fold(manifest, added, now)
    rows += added
    const names = new Set(before.levels.map(({ number }) => number))
    written += sumRows(manifest.levels.filter(({ number }) => !names.has(number)))
    if (i % 50 !== 0 && i > 3_600) continue
    largest = Math.max(largest, JSON.stringify(manifest).length)
    mostLevels = Math.max(mostLevels, manifest.levels.length)
  }
  expect(sumRows(manifest.levels)).toBe(rows)
  expect(rows).toBeGreaterThan(15_000_000)
  expect(mostLevels).toBeLessThanOrEqual(Math.ceil(Math.log2(rows / 2_000)) + 1)
  expect(hopsOf(manifest)).toBe(manifest.levels.length - 1)
  expect(largest).toBeLessThan(ITEM_BYTES / 4)
  expect(written / rows).toBeLessThan(2 * Math.log2(rows / 2_000))
})
