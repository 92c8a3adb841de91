import { expect, test } from 'vitest'
import { decodeTombstones } from '#core/lake/erase/tombstone-file'
import { type Burial, createTombstoneWriter, type TombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { MAX_BATCHES, userHash } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/keys'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { writeBatch } from '#test/support/add-erasure'
import { createFakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

const START = Date.UTC(2026, 10, 23, 12)
const BUCKET = 7
const person = (id: string, project_id = 'proj_1') => ({ project_id, users: [userHash(id)], until: null })

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

async function buryAndWait(writer: TombstoneWriter, burial: Burial): Promise<number> {
  const { number, answered } = await writer.bury(BUCKET, burial)
  await answered
  return number
}

test('an erasure covers the whole second before its answer, and the answer comes in a later one', async () => {
  for (const ms of [0, 1, 899, 900, 950, 999]) {
    const { clock, writer, rowsOf } = openWriter({ at: START + ms })
    await buryAndWait(writer, person('ada'))
    const [row] = await rowsOf()
    expect(row?.erased_until).toBe(Math.floor(clock.time / 1_000) - 1)
    expect(clock.time - START).toBeLessThan(2_200)
  }
})

test('an erasure whose write takes longer than its second covers a later one', async () => {
  const times = [2_500, 10, 10]
  const { clock, writer, rowsOf } = openWriter({ writeMs: () => times.shift() ?? 10 })
  await buryAndWait(writer, person('ada'))
  const until = Math.max(...(await rowsOf()).map(({ erased_until }) => erased_until))
  expect(until).toBe(Math.floor(clock.time / 1_000) - 1)
  expect(clock.time).toBeGreaterThan(START + 2_500)
})

test('erasures of one moment share a file, and young ones are written again with the next', async () => {
  const { writer, batches, rowsOf, lake, clock } = openWriter()
  const numbers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => buryAndWait(writer, person(`u${i}`))),
  )
  expect(new Set(numbers)).toEqual(new Set([1]))
  expect(lake.keys('tombstones/')).toHaveLength(1)
  expect(await buryAndWait(writer, person('later', 'proj_2'))).toBe(2)
  expect(await batches()).toMatchObject([
    { first: 1, number: 2, rows: 51, projects: ['proj_1', 'proj_2'], oldestUntil: START / 1_000 },
  ])
  expect(await rowsOf()).toHaveLength(51)
  clock.time += 30_000
  expect(await buryAndWait(writer, person('much later'))).toBe(3)
  expect((await batches()).map(({ first, number, rows }) => [first, number, rows])).toEqual([
    [1, 2, 51],
    [3, 3, 1],
  ])
})

test('a batch of another process, and one whose removal has begun, are left as they are', async () => {
  const { writer, open, state, batches } = openWriter()
  await writer.bury(BUCKET, person('ada'))
  await open().bury(BUCKET, person('bob'))
  expect(await batches()).toHaveLength(2)
  await writer.bury(BUCKET, person('cy'))
  expect(await batches()).toHaveLength(3)
  const manifest = await state.manifest(BUCKET)
  const begun = manifest.tombstones.map(batch => ({ ...batch, lastEpoch: 4 }))
  await state.saveManifest({ ...manifest, version: manifest.version + 1, tombstones: begun })
  await writer.bury(BUCKET, person('dan'))
  expect(await batches()).toHaveLength(4)
})

test('two processes that erase at the same time lose nothing', async () => {
  const { open, state, lake } = openWriter()
  const writers = Array.from({ length: 6 }, open)
  await Promise.all(
    writers.flatMap((writer, i) => [0, 1, 2].map(j => writer.bury(BUCKET, person(`u${i}-${j}`)))),
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
  await writer.bury(BUCKET, { project_id: 'proj_1', users, until: null })
  expect(await rowsOf()).toHaveLength(20_000)
  expect(JSON.stringify(await state.manifest(BUCKET)).length).toBeLessThan(600)
})

test('with too many batches an erasure is refused for a minute, and one of a young batch is not', async () => {
  const { writer, state, lake } = openWriter()
  const manifest = await state.manifest(BUCKET)
  const batch = await writeBatch(lake, { project_id: 'proj_1', users: null, until: 1 })
  const tombstones = Array.from({ length: MAX_BATCHES - 1 }, (_, i) => ({
    ...batch,
    number: i + 1,
    first: i + 1,
  }))
  const tombstoneCount = MAX_BATCHES - 1
  await state.saveManifest({ ...manifest, version: 1, tombstones, tombstoneCount })
  await writer.bury(BUCKET, person('ada'))
  await writer.bury(BUCKET, person('bob'))
  const other = createTombstoneWriter({ state, lake, clock: createFakeClock(START) })
  await expect(other.bury(BUCKET, person('cy'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: 60 },
  })
})

test('an erasure whose manifest changes all the time is refused for some seconds', async () => {
  const { state, lake } = openWriter()
  const busy = { ...state, saveManifest: async () => false }
  const writer = createTombstoneWriter({ state: busy, lake, clock: createFakeClock(START) })
  await expect(writer.bury(BUCKET, person('ada'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: 5 },
  })
})
