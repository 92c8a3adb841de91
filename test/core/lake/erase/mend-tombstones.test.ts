import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createErasedUsers } from '#core/identity/erased-users'
import { createRepair } from '#core/lake/compact/repair'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { decodeTombstones } from '#core/lake/erase/tombstone-file'
import { userHash } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/model/keys'
import { openLake } from '#core/lake/read/snapshot'
import { restoreLake } from '#core/lake/restore/restore-lake'
import { bucketOf } from '#core/state/bucket-of'
import { createLakeStores } from '#core/stores'
import { createFolderLake } from '#local/lake/folder'
import { ERASURE_START, openErasurePipeline } from '#test/support/erasure-pipeline'
import { nothingErased } from '#test/support/no-receipts'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const BUCKET = 7
const PROJECT = { id: 'proj_1', name: 'one', account_id: 'acc_1', bucket: BUCKET }

/** A lake with an erasure of a person of two ids, as the service leaves it. */
async function setUp({ noted = true } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-tombstones-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const pipeline = openErasurePipeline(state, dir)
  const { lakeState } = pipeline
  const erasedUsers = createErasedUsers(state)
  await pipeline.store('ada', 'anon_ada', 'bob')
  const ids = ['ada', 'anon_ada']
  await pipeline.erasures.erasePerson([{ project: PROJECT, events: 2, sessions: 1 }], ids)
  if (noted) await erasedUsers.note(PROJECT.id, ids, ERASURE_START)
  // Of another erasure, in another file.
  await erasedUsers.note(PROJECT.id, ['carl'], ERASURE_START + 86_400_000)
  // Another object than that of the pipeline: a process that has not read the file yet.
  const lake = createFolderLake(join(dir, 'lake'))
  const [file = expect.unreachable()] = await lake.list('tombstones/')
  const logged: string[] = []
  const log = (code: string) => void logged.push(code)
  const mending = createTombstoneMending({ lake, ...erasedUsers, clock: pipeline.clock, log })
  const read = async () => (await openLake({ state: lakeState, lake })).ofBucket(BUCKET)
  const rows = async () => decodeTombstones((await lake.get(file.key)) as Uint8Array)
  return { ...pipeline, lake, key: file.key, rows, read, mending, logged, log: () => {} }
}

const hashes = (rows: readonly { user_hash: string | null }[]) => rows.map(row => row.user_hash).toSorted()
const ERASED = ['ada', 'anon_ada'].map(userHash).toSorted()

test('a bucket without a file of tombstones is not read, and maintenance writes the file again', async () => {
  const { lake, key, rows, read, wait } = await setUp()
  const before = await rows()
  await lake.delete([key])
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await wait(11 * 60_000)
  expect(hashes(await rows())).toEqual(ERASED)
  expect(await rows()).toEqual(expect.arrayContaining(before))
  await expect(read()).resolves.toBeDefined()
})

test('a damaged file of tombstones is repaired', async () => {
  const { lake, lakeState, key, rows, mending, log } = await setUp()
  await lake.put(key, new Uint8Array([1, 2, 3]))
  const services = { consumer: {}, worker: {}, identity: {}, log } as never
  const repair = createRepair({
    ...(services as object),
    state: lakeState,
    tombstones: mending,
    log,
  } as never)
  expect(await repair(key)).toBe(true)
  expect(hashes(await rows())).toEqual(ERASED)
})

test('a start with a lake of an earlier day writes missing files of tombstones again', async () => {
  const { lake, lakeState, key, rows, mending, clock, log } = await setUp()
  await lake.delete([key])
  await restoreLake({
    ...{ state: lakeState, lake, tombstones: mending, repeatErasures: nothingErased, clock, log },
    ...{ stream: { shards: async () => [], read: async () => [] } },
    ...{ consumer: {} as never, compactor: {} as never, usage: { openCounts: async () => [] } as never },
  })
  expect(hashes(await rows())).toEqual(ERASED)
})

test.each(['lost', 'damaged', 'older'])(
  'who was erased stays erased when the manifest that knows it is %s',
  async kind => {
    const { lake, erasures, storeFor, log, clock, mending, waitUntilDone } = await setUp()
    const project = { ...PROJECT, id: 'proj_2', bucket: bucketOf('proj_2') }
    const erasedUsers = createErasedUsers(state)
    await storeFor(project, 'ada', 'bob')
    const prefix = `manifests/bucket=${project.bucket}/`
    const before = new Set((await lake.list(prefix)).map(({ key }) => key))
    const ids = ['ada']
    const id = await erasures.erasePerson([{ project, events: 1, sessions: 1 }], ids)
    await erasedUsers.note(project.id, ids, clock.now())
    const added = (await lake.list(prefix)).map(({ key }) => key).filter(key => !before.has(key))
    expect(added).toHaveLength(1)
    for (const key of added)
      await (kind === 'damaged' ? lake.put(key, new Uint8Array(3)) : lake.delete([key]))
    if (kind === 'older')
      await lake.delete((await lake.list(`tombstones/bucket=${project.bucket}/`)).map(({ key }) => key))
    // As another process finds it.
    const opened = createLakeStores({ ...state, lake }, clock).lakeState
    const services = {
      ...{ state: opened, lake, tombstones: mending, clock, log, repeatErasures: nothingErased },
      ...{ stream: { shards: async () => [], read: async () => [] } },
      ...{ consumer: {} as never, compactor: {} as never, usage: { openCounts: async () => [] } as never },
    }
    await restoreLake(services)
    const { tombstones } = await opened.manifest(project.bucket)
    const files = await Promise.all(
      tombstones.map(async batch =>
        decodeTombstones((await lake.get(tombstoneKey(project.bucket, batch))) as Uint8Array),
      ),
    )
    expect(hashes(files.flat())).toContain(userHash('ada'))
    expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'pending' })
    // A start after a kill, or the next one, adds nothing.
    await restoreLake(services)
    expect((await opened.manifest(project.bucket)).tombstones).toEqual(tombstones)
    await waitUntilDone(id)
    expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
  },
)

test('a file whose persons the state does not remember is not written again without them', async () => {
  const { lake, lakeState, key, mending, logged, read } = await setUp({ noted: false })
  await lake.delete([key])
  await mending.mendMissing(await lakeState.manifests())
  expect(logged).toEqual(['LAKE_OBJECT_LOST'])
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
