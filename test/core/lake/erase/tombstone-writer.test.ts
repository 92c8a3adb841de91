import { expect, test } from 'vitest'
import { decodeTombstones, encodeTombstones } from '#core/lake/erase/tombstone-file'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { MAX_BATCHES, userHash } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/model/keys'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { writeBatch } from '#test/support/add-erasure'
import { createFakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { withoutColumns } from '#test/support/old-files'

const START = Date.UTC(2026, 10, 23, 12)
const BUCKET = 7
const person = (id: string, project_id = 'proj_1') => ({
  project_id,
  users: [userHash(id)],
  until: START + 4,
})

/** `writeMs`: how long each write of a file takes. */
function openWriter({ writeMs = () => 10, at = START }: { writeMs?: () => number; at?: number } = {}) {
  const clock = createFakeClock(at, { movesItself: true })
  const state = createMemoryLakeState()
  const lake = createSimulatedLake()
  const slow: Pick<typeof lake, 'put'> = {
    async put(key, bytes) {
      clock.time += writeMs()
      await lake.put(key, bytes)
    },
  }
  const open = () => createTombstoneWriter({ state, lake: slow, clock })
  const batches = async () => (await state.manifest(BUCKET)).tombstones
  async function rowsOf(index = -1) {
    const batch = (await batches()).at(index)
    const bytes = batch && (await lake.get(tombstoneKey(BUCKET, batch)))
    return bytes == null ? expect.unreachable() : decodeTombstones(bytes)
  }
  return { clock, state, lake, writer: open(), open, batches, rowsOf }
}

test('an erasure is saved with its ms and answered when its two writes are done', async () => {
  for (const ms of [0, 1, 899, 999]) {
    const { clock, writer, rowsOf, batches } = openWriter({ at: START + ms })
    await writer.add(BUCKET, { ...person('ada'), until: START + ms })
    expect(await rowsOf()).toMatchObject([{ erased_until_ms: START + ms }])
    // Bounds in whole seconds: the last one that is erased as a whole, and that of the last erased arrival.
    const second = START / 1_000
    expect(await batches()).toMatchObject([
      { oldestUntil: ms === 999 ? second : second - 1, newestUntil: second },
    ])
    expect(clock.time).toBe(START + ms + 10)
  }
})

test('a file from before arrivals had ms erases its whole last second', async () => {
  const row = {
    project_id: 'proj_1',
    user_hash: userHash('ada'),
    user_key: 1,
    erased_until_ms: START,
    number: 1,
  }
  const bytes = await withoutColumns('tombstones/x', encodeTombstones([row]), ['erased_until_ms'])
  expect(await decodeTombstones(bytes)).toEqual([{ ...row, erased_until_ms: START + 999 }])
})

test('erasures of one moment share a file, and young ones are written again with the next', async () => {
  const { writer, batches, rowsOf, lake, clock } = openWriter()
  const numbers = await Promise.all(Array.from({ length: 50 }, (_, i) => writer.add(BUCKET, person(`u${i}`))))
  expect(new Set(numbers)).toEqual(new Set([1]))
  expect(lake.keys('tombstones/')).toHaveLength(1)
  expect(await writer.add(BUCKET, person('later', 'proj_2'))).toBe(2)
  expect(await batches()).toMatchObject([
    { first: 1, number: 2, rows: 51, projects: ['proj_1', 'proj_2'], oldestUntil: START / 1_000 - 1 },
  ])
  expect(await rowsOf()).toHaveLength(51)
  clock.time += 30_000
  expect(await writer.add(BUCKET, person('much later'))).toBe(3)
  expect((await batches()).map(({ first, number, rows }) => [first, number, rows])).toEqual([
    [1, 2, 51],
    [3, 3, 1],
  ])
})

test('a batch of another process, and one whose removal has begun, are left as they are', async () => {
  const { writer, open, state, batches } = openWriter()
  await writer.add(BUCKET, person('ada'))
  await open().add(BUCKET, person('bob'))
  expect(await batches()).toHaveLength(2)
  await writer.add(BUCKET, person('cy'))
  expect(await batches()).toHaveLength(3)
  const manifest = await state.manifest(BUCKET)
  const begun = manifest.tombstones.map(batch => ({ ...batch, lastEpoch: 4 }))
  await state.saveManifest({ ...manifest, version: manifest.version + 1, tombstones: begun })
  await writer.add(BUCKET, person('dan'))
  expect(await batches()).toHaveLength(4)
})

test('two processes that erase at the same time lose nothing', async () => {
  const { open, state, lake } = openWriter()
  const writers = Array.from({ length: 6 }, open)
  await Promise.all(
    writers.flatMap((writer, i) => [0, 1, 2].map(j => writer.add(BUCKET, person(`u${i}-${j}`)))),
  )
  const { tombstones, tombstoneCount } = await state.manifest(BUCKET)
  const rows = await Promise.all(
    tombstones.map(async batch =>
      decodeTombstones((await lake.get(tombstoneKey(BUCKET, batch))) ?? new Uint8Array()),
    ),
  )
  expect(new Set(rows.flat().map(({ user_hash }) => user_hash)).size).toBe(18)
  expect(tombstoneCount).toBe(Math.max(...tombstones.map(({ number }) => number)))
})

test('a person of 20,000 ids is one batch and adds nothing but numbers to the manifest', async () => {
  const { writer, state, rowsOf } = openWriter()
  const users = Array.from({ length: 20_000 }, (_, i) => userHash(`user ${i}`))
  await writer.add(BUCKET, { project_id: 'proj_1', users, until: START })
  expect(await rowsOf()).toHaveLength(20_000)
  expect(JSON.stringify(await state.manifest(BUCKET)).length).toBeLessThan(600)
})

test('with too many batches an erasure is refused for a minute, and one of a young batch is not', async () => {
  const { writer, state, lake } = openWriter()
  const manifest = await state.manifest(BUCKET)
  const batch = await writeBatch(lake, { project_id: 'proj_1', users: null, until: 1_000 })
  const tombstones = Array.from({ length: MAX_BATCHES - 1 }, (_, i) => ({
    ...batch,
    number: i + 1,
    first: i + 1,
  }))
  const tombstoneCount = MAX_BATCHES - 1
  await state.saveManifest({ ...manifest, version: 1, tombstones, tombstoneCount })
  await writer.add(BUCKET, person('ada'))
  await writer.add(BUCKET, person('bob'))
  const other = createTombstoneWriter({ state, lake, clock: createFakeClock(START) })
  await expect(other.add(BUCKET, person('cy'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: 60 },
  })
})

test('an erasure whose manifest changes all the time is refused for some seconds', async () => {
  const { state, lake } = openWriter()
  const busy = { ...state, saveManifest: async () => false }
  const writer = createTombstoneWriter({ state: busy, lake, clock: createFakeClock(START) })
  await expect(writer.add(BUCKET, person('ada'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: 5 },
  })
})
