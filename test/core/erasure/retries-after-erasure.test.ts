import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEventEraser } from '#core/lake/erase/event-eraser'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { userHash } from '#core/lake/erase/tombstones'
import { segmentKey } from '#core/lake/model/keys'
import { copiedKeysSql } from '#core/lake/read/hot-events'
import { events } from '#core/lake/read/relations'
import { openLake } from '#core/lake/read/snapshot'
import { reconcileLake } from '#core/lake/restore/reconcile-lake'
import { sql } from '#core/sql/sql'
import { createFolderLake } from '#local/lake/folder'
import { encodeSimulatedTombstones, simulatedTombstones } from '#test/simulation/simulated-ports'
import { readBucket } from '#test/simulation/simulation-checks'
import { testProject } from '#test/support/account-fixtures'
import { writeBatch } from '#test/support/add-erasure'
import { buildLake } from '#test/support/build-lake'
import { HOUR, request, START } from '#test/support/compactor-lake'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'
import { noMending, nothingErased } from '#test/support/no-receipts'
import { openTestEngine } from '#test/support/test-engine'
import { withRollups } from '#test/support/with-rollups'

/**
 * A sender may send an event again for a day, and a copy of an erased event is dropped
 * (docs/api/erasure.md). So what knows its event_id must be there again whenever files are made anew.
 */

const MINUTE = 60_000
/** The bucket of eventsRecord. */
const BUCKET = 1

/** A pipeline whose sender sends events with an event_id. */
function openPipeline() {
  const pipeline = createLakePipeline({ epochMs: MINUTE, erasureEpochMs: MINUTE, roundMs: 0, jobMs: 0 })
  const { clock, lake, state, stream, consumer, compactor, settle, log } = pipeline
  const writer = createTombstoneWriter({ state, lake, clock, encode: encodeSimulatedTombstones })

  /** Stores an event under this event_id. */
  async function send(event_id: string, user_id = 'ada'): Promise<void> {
    clock.time += MINUTE
    stream.accept('s0', eventsRecord([event_id], clock.time, { event_id, user_id }))
    await consumer.consume('s0')
  }

  /** Erases all events of ada until now. */
  async function erase(): Promise<void> {
    await writer.add(BUCKET, { project_id: 'proj_1', users: [userHash('ada')], until: clock.time })
  }

  async function wait(ms: number): Promise<void> {
    clock.time += ms
    await settle()
  }

  /** Until hot files have no event of ada. */
  async function rewriteHotFiles(): Promise<void> {
    const hasAda = () => lake.keys('hot/').some(key => lake.rows(key).some(({ user }) => user === 'ada'))
    for (let i = 0; i < 10 && hasAda(); i++) await wait(6 * MINUTE)
    expect(hasAda()).toBe(false)
  }

  /** Removes the events of ada from the first record of the log. */
  function scrubLog(): void {
    const [entry = expect.unreachable()] = stream.byName.get('s0')?.entries ?? []
    const erased = { project_id: 'proj_1', user_key: 0, user_hash: userHash('ada'), number: 1 }
    const eraser = createEventEraser([{ ...erased, erased_until_ms: Number.POSITIVE_INFINITY }])
    entry.data = eraser.eraseFromRecord(entry.data) ?? expect.unreachable()
  }

  /** Loses the file, and writes it again from its sources. */
  async function lose(key: string | undefined): Promise<void> {
    expect(lake.objects.delete(key ?? expect.unreachable())).toBe(true)
    expect(await pipeline.repair(key ?? expect.unreachable())).toBe(true)
  }

  /** The only file of event_ids. */
  function idsKey(): string {
    const [segment = expect.unreachable()] = state.peekManifest(BUCKET).segments
    return segmentKey('segment_event_ids', BUCKET, segment, 0)
  }

  async function restore(): Promise<void> {
    await reconcileLake({
      ...{ state, stream, lake: withRollups(lake), consumer, compactor, clock, log },
      usage: { openCounts: async () => [], foldEpoch: async () => {} },
      ...{ tombstones: noMending, repeatErasures: nothingErased },
    })
  }

  /** The events that a read returns. */
  async function readEvents(): Promise<string[]> {
    const snapshot = await (await openLake({ state, lake })).ofBucket(BUCKET)
    const { stored, hot } = await readBucket(BUCKET, snapshot, lake.rows, key =>
      simulatedTombstones(lake.objects.get(key)),
    )
    return [...stored, ...hot].map(({ id }) => id)
  }

  return { ...pipeline, send, erase, wait, rewriteHotFiles, scrubLog, lose, idsKey, restore, readEvents }
}

test('a copy of an erased event is dropped after a power cut that takes back the compaction of the event', async () => {
  const { state, send, erase, wait, rewriteHotFiles, restore, readEvents } = openPipeline()
  await send('a')
  await erase()
  const saved = state.save()
  await wait(MINUTE)
  await rewriteHotFiles()
  await send('a')
  expect(await readEvents()).toEqual([])

  state.restore(saved)
  await restore()
  expect(await readEvents()).toEqual([])
  await wait(MINUTE)
  expect(await readEvents()).toEqual([])
  expect(state.peekManifest(BUCKET).compacted).toBe(state.peekLake().epoch)
})

test('a copy of an erased event is dropped after a power cut that takes back its claim, also if the log has been scrubbed', async () => {
  const { state, send, erase, wait, rewriteHotFiles, scrubLog, restore, readEvents } = openPipeline()
  const saved = state.save()
  await send('a')
  await erase()
  await wait(MINUTE)
  await rewriteHotFiles()
  scrubLog()
  await send('a')

  state.restore(saved)
  await restore()
  expect(await readEvents()).toEqual([])
  await wait(MINUTE)
  expect(await readEvents()).toEqual([])
})

test('a copy of an erased event is dropped after a repair of the file that knows its event_id', async () => {
  const { send, erase, wait, rewriteHotFiles, lose, idsKey, readEvents } = openPipeline()
  await send('a')
  await erase()
  await wait(MINUTE)
  await rewriteHotFiles()
  await lose(idsKey())
  await send('a')
  expect(await readEvents()).toEqual([])
  await wait(MINUTE)
  expect(await readEvents()).toEqual([])
})

test.each([
  ['the hot file is dropped', false, ['of bob']],
  // The log has its events for an hour only, so within that hour both files have to be damaged.
  ['the hot file and of the event_ids, whose source it is, is new', true, ['a', 'of bob']],
])(
  'after a scrub of the log, a copy of the erased event that comes after a repair of %s',
  async (_, losesIds, expected) => {
    const { lake, send, erase, wait, rewriteHotFiles, scrubLog, lose, idsKey, readEvents } = openPipeline()
    await send('a')
    await send('of bob', 'bob')
    await erase()
    await wait(MINUTE)
    await rewriteHotFiles()
    scrubLog()
    await lose(lake.keys('hot/')[0])
    if (losesIds) await lose(idsKey())
    await send('a')
    expect((await readEvents()).toSorted()).toEqual(expected)
    await wait(MINUTE)
    expect((await readEvents()).toSorted()).toEqual(expected)
  },
)

test('a read of a hot file that was written anew drops copies of erased events, and returns nothing of these', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-retries-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const lake = createFolderLake(join(dir, 'lake'))
  const project = testProject({ bucket: 7, has_event_ids: true })
  const send = (at: number, names: string[], user_id: string) =>
    request({
      ...{ project: project.id, at },
      events: names.map(event => ({ event, event_id: `id of ${event}`, user_id })),
    })
  const epochs = [
    [[send(START, ['a', 'b'], 'ada'), send(START, ['c'], 'bob')]],
    [[send(START + HOUR, ['a', 'd'], 'ada')]],
  ]
  const built = await buildLake({ lake, tempDir: join(dir, 'temp'), epochs })
  const erased = { project_id: project.id, users: [userHash('ada')], until: START }
  const keys = (await lake.list('hot/')).map(({ key }) => key)
  const tombstones = [await writeBatch(lake, erased)]
  expect(await built.compactor.rewriteHot({ keys, buckets: [{ bucket: 7, tombstones }] })).toBe(1)

  const engine = await openTestEngine({ lakeDir: join(dir, 'lake'), tempDir: dir })
  onTestFinished(() => engine.close())
  const snapshot = await built.snapshot(7)
  const read = { project, from: START - HOUR, to: START + 2 * HOUR }
  const copied = await engine.rows(copiedKeysSql({ snapshot, project }, 10))
  // With the tombstones, and after they were forgotten.
  for (const copiedKeys of [undefined, copied.map(row => String(row.copied_key))])
    for (const inForce of [tombstones, []]) {
      const each = { ...read, copiedKeys, snapshot: { ...snapshot, tombstones: inForce } }
      const rows = await engine.rows(sql`SELECT event FROM ${events(each, ['event'])} AS each_event`)
      expect(rows.map(({ event }) => event).toSorted()).toEqual(['c', 'd'])
      const [counted] = await engine.rows(
        sql`SELECT count(*) AS events FROM ${events(each, ['user_id'])} AS each_event`,
      )
      expect(Number(counted?.events)).toBe(2)
    }
})
