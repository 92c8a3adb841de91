import { expect, test } from 'vitest'
import { createErasures } from '#core/erasure/erasures'
import { createErasureReceipts } from '#core/erasure/receipts'
import type { Completion, Erasure, ErasureStore } from '#core/erasure/store'
import { packRecord } from '#core/ingest/record'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createOldRecords } from '#core/lake/erase/old-records'
import { forgottenUntil, isForgettable } from '#core/lake/erase/old-tombstones'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import type { Compactor } from '#core/lake/model/compactor'
import { segmentKeys, tombstoneKey } from '#core/lake/model/keys'
import type { StreamEntry } from '#core/ports'
import { DAY_MS } from '#core/time'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedUsage,
  encodeSimulated,
  encodeSimulatedTombstones,
  isErased,
  type SimulatedLake,
  simulatedTombstones,
} from '#test/simulation/simulated-ports'
import { request } from '#test/support/compactor-lake'
import { createFakeClock, type FakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState, type MemoryLakeState } from '#test/support/memory-lake-state'
import { noMending } from '#test/support/no-receipts'

/**
 * Jobs of compaction, merging and rewriting that began before an erasure, or before another job, and end
 * after it. The lake, its state and the engine are in memory, so a test decides what happens while a job is
 * under way.
 */

const MINUTE = 60_000
const PROJECT = { id: 'proj_1', name: 'shop', account_id: 'acc_1', bucket: 7 }
const SETTINGS = { ...MAINTENANCE_DEFAULTS, epochMs: 0, mergeSegments: 3 }

/** Events arrive at the time of the clock, each in a process of its own. */
const NO_ORDER = {
  pause: (until: number) => ({ until, end() {} }),
  newestAhead: async () => 0,
}

/** Erasures with their receipts in memory. */
function openReceipts(lakeState: MemoryLakeState, lake: SimulatedLake, clock: FakeClock) {
  const receipts = new Map<string, Erasure>()
  const completions: (Completion & { bucket: number })[] = []
  const store: ErasureStore = {
    create: async erasure =>
      void receipts.set(erasure.id, {
        links: 0,
        profiles: 0,
        isIdentityRemoved: true,
        ...erasure,
      }),
    byId: async id => receipts.get(id) ?? null,
    noteIdentity: async () => {},
    complete: async (bucket, completion) => void completions.push({ bucket, ...completion }),
    completionOf: async (bucket, number) =>
      completions.findLast(each => each.bucket === bucket && each.first <= number && number <= each.number) ??
      null,
  }
  const encode = encodeSimulatedTombstones
  const tombstones = createTombstoneWriter({ state: lakeState, lake, clock, encode })
  return {
    ...createErasures({ erasures: store, tombstones, arrivals: NO_ORDER, clock }),
    ...createErasureReceipts({ erasures: store, lakeState }),
  }
}

/** `withheld`: jobs of this kind never run. */
function openPipeline({
  withheld,
  ...settings
}: Partial<typeof SETTINGS> & { withheld?: LakeJob['kind'] } = {}) {
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'), { movesItself: true })
  const state = createMemoryLakeState()
  const lake = createSimulatedLake()
  const { usage } = createSimulatedUsage()
  const erasures = openReceipts(state, lake, clock)
  const entries: StreamEntry[] = []
  const stream = {
    read: async (_: string, after: string | null) =>
      entries.filter(({ sequence }) => after === null || Number(sequence) > Number(after)),
  }
  const log = () => {}
  const projects = { byId: async () => null, noteEventIds: async () => {} }
  const common = { state, lake, usage, tombstones: noMending, clock, log }
  const consumer = createLakeConsumer({
    ...common,
    ...{ stream, projects, encode: encodeSimulated },
  })
  const compactor = createSimulatedCompactor(lake)
  const jobs: LakeJob[] = []
  const maintenance = createMaintenance(
    {
      ...common,
      jobs: { send: async job => void jobs.push(job) },
      ...erasures,
      oldRecords: createOldRecords({ state, lake, oldestUnread: async () => Number.POSITIVE_INFINITY }),
    },
    { ...SETTINGS, ...settings },
  )
  const worker = createLakeWorker({ ...common, compactor, projects })

  const runBy = (engine: Compactor, job: LakeJob) =>
    createLakeWorker({ ...common, compactor: engine, projects }).run(job)

  /** Runs a job whose engine has written its files when `meanwhile` happens. The job ends after that. */
  async function runLate(job: LakeJob, meanwhile: () => Promise<unknown>): Promise<void> {
    const late: Compactor = { ...compactor }
    for (const name of ['compactEpoch', 'mergeSegments', 'rewriteSegment'] as const) {
      const work = compactor[name] as (job: unknown) => Promise<unknown>
      let isFirst = true
      Object.assign(late, {
        async [name](given: unknown) {
          const result = await work(given)
          if (isFirst) await meanwhile()
          isFirst = false
          return result
        },
      })
    }
    await runBy(late, job)
  }

  /** Lets maintenance work until it sends a job of this kind, and takes the job from the queue. */
  async function takeJob(kind: LakeJob['kind']): Promise<LakeJob> {
    for (let tick = 0; tick < 5; tick++) {
      await maintenance.tick()
      const job = jobs.find(each => each.kind === kind)
      if (job === undefined) continue
      jobs.splice(jobs.indexOf(job), 1)
      return job
    }
    return expect.unreachable(`no job ${kind}`)
  }

  async function run(): Promise<void> {
    await maintenance.tick()
    for (const job of jobs.splice(0)) if (job.kind !== withheld) await worker.run(job)
    expectClearedSegments()
  }

  async function consumeRecord(record: ReturnType<typeof request>): Promise<void> {
    entries.push({ sequence: String(entries.length + 1), data: packRecord(record) })
    await consumer.consume('0')
  }

  async function consume(...users: string[]): Promise<void> {
    const events = users.map(user_id => ({ user_id, event: `event of ${user_id}` }))
    await consumeRecord(request({ at: clock.time, events }))
  }

  /** Bob sends an event with this event_id. */
  async function consumeId(event_id: string, { credentialed }: { credentialed: boolean }): Promise<void> {
    const record = request({ at: clock.time, events: [{ user_id: 'bob', event: event_id, event_id }] })
    await consumeRecord({ ...record, ...(credentialed && { credentialed }) })
  }

  /** Stores events, closes their epoch, and compacts it. */
  async function store(...users: string[]): Promise<void> {
    await consume(...users)
    await worker.run(await takeJob('compact'))
  }

  async function wait(ms: number): Promise<void> {
    clock.time += ms
    await run()
    await run()
  }

  /**
   * A segment that was cleared of a tombstone has none of its events. Reads rely on this: they do not filter
   * such a segment.
   */
  function expectClearedSegments(): void {
    const { segments, tombstones, bucket } = state.peekManifest(PROJECT.bucket)
    for (const segment of segments) {
      const rows = segmentKeys('segment_events', bucket, segment).flatMap(key => [...lake.rows(key)])
      const cleared = tombstones
        .filter(({ number }) => number <= segment.erased)
        .flatMap(batch => simulatedTombstones(lake.objects.get(tombstoneKey(bucket, batch))))
      expect(rows.filter(row => cleared.some(tombstone => isErased(row, tombstone)))).toEqual([])
    }
  }

  /** The keys of all files that have events of this user. Other files have only hashes of ids of events. */
  const filesOf = (user: string) =>
    [...lake.keys('hot/'), ...lake.keys('segments/events/')].filter(key =>
      lake.rows(key).some(row => row.user === user),
    )

  const erase = (user: string) => erasures.erasePerson([{ project: PROJECT, events: 0, sessions: 1 }], [user])
  /** The receipt, with the events that the erasures of the bucket have removed from files. */
  async function progress(id: string) {
    const receipt = await erasures.progress('acc_1', id)
    const { tombstones } = state.peekManifest(PROJECT.bucket)
    return { ...receipt, removedEvents: tombstones.reduce((sum, { removed }) => sum + removed.events, 0) }
  }

  /** Lets maintenance finish all erasures. */
  async function finish(): Promise<void> {
    for (let i = 0; i < 8; i++) await wait(6 * MINUTE)
  }

  return {
    ...{
      clock,
      state,
      lake,
      worker,
      compactor,
      runBy,
      consume,
      consumeId,
      runLate,
      takeJob,
      run,
      store,
      wait,
    },
    ...{ filesOf, erase, progress, finish, expectClearedSegments },
  }
}

test('a compaction that began before an erasure ends after it, and its segment is still rewritten', async () => {
  const { consume, takeJob, runLate, erase, finish, filesOf, progress, expectClearedSegments } =
    openPipeline()
  await consume('ada', 'bob')
  let id = ''
  await runLate(await takeJob('compact'), async () => {
    id = await erase('ada')
  })
  expectClearedSegments()
  await finish()
  expect(filesOf('ada')).toEqual([])
  expect(filesOf('bob')).not.toEqual([])
  expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 1 })
})

test('a compaction that begins after an erasure leaves its events out and counts them', async () => {
  const { consume, takeJob, worker, erase, finish, filesOf, progress, expectClearedSegments } = openPipeline()
  await consume('ada', 'bob')
  const id = await erase('ada')
  await worker.run(await takeJob('compact'))
  expectClearedSegments()
  expect(filesOf('ada').filter(key => key.startsWith('segments/'))).toEqual([])
  await finish()
  expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 1 })
})

test('a merge that began before an erasure ends after the rewrite, and brings nothing back', async () => {
  const { store, takeJob, runLate, run, erase, finish, filesOf, progress, expectClearedSegments } =
    openPipeline()
  for (const users of [['ada'], ['bob'], ['bob'], ['ada']]) await store(...users)
  let id = ''
  await runLate(await takeJob('merge'), async () => {
    id = await erase('ada')
    await run()
  })
  expectClearedSegments()
  await finish()
  expect(filesOf('ada')).toEqual([])
  expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 2 })
})

test('a merge that began before segments without the erased user were checked does not undo the check', async () => {
  const { state, store, takeJob, runLate, run, erase } = openPipeline()
  for (let i = 0; i < 4; i++) await store('bob')
  await runLate(await takeJob('merge'), async () => {
    await erase('ada')
    await run()
  })
  const { segments, tombstoneCount } = state.peekManifest(PROJECT.bucket)
  expect(segments.map(({ erased }) => erased)).toEqual(Array(4).fill(tombstoneCount))
})

test('a merge of segments of which only some are rewritten leaves the erased events out', async () => {
  const { clock, state, store, takeJob, worker, erase, finish, filesOf, expectClearedSegments } =
    openPipeline()
  for (const users of [['bob'], ['bob'], ['bob'], ['ada']]) await store(...users)
  const merge = await takeJob('merge')
  await erase('ada')
  // The rewrite starts with the first segment, and its worker has no time for the others.
  const rewrite = await takeJob('rewrite')
  const manifest = state.manifest
  let reads = 0
  state.manifest = async bucket => {
    if (++reads === 3) clock.time += 10 * MINUTE
    return manifest(bucket)
  }
  await worker.run(rewrite)
  state.manifest = manifest
  const erased = state.peekManifest(PROJECT.bucket).segments.map(segment => segment.erased)
  expect(new Set(erased).size).toBe(2)
  await worker.run(merge)
  const { segments, tombstoneCount } = state.peekManifest(PROJECT.bucket)
  expect(segments).toMatchObject([{ generation: tombstoneCount, erased: tombstoneCount }])
  expectClearedSegments()
  await finish()
  expect(filesOf('ada')).toEqual([])
})

test('a rewrite that began before a second erasure leaves that one to the next rewrite', async () => {
  for (const users of [
    ['ada', 'bob', 'eve'],
    ['bob', 'eve'],
  ]) {
    const { store, takeJob, runLate, erase, finish, filesOf, progress, expectClearedSegments } =
      openPipeline()
    await store(...users)
    await erase('ada')
    let id = ''
    await runLate(await takeJob('rewrite'), async () => {
      id = await erase('bob')
    })
    expectClearedSegments()
    await finish()
    expect(filesOf('bob')).toEqual([])
    expect(filesOf('eve')).not.toEqual([])
    expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: users.length - 1 })
  }
})

test('two rewrites of one segment at the same time count its events once', async () => {
  const { store, takeJob, runLate, worker, erase, finish, filesOf, progress } = openPipeline()
  await store('ada', 'ada', 'bob')
  const id = await erase('ada')
  const rewrite = await takeJob('rewrite')
  await runLate(rewrite, () => worker.run(rewrite))
  await finish()
  expect(filesOf('ada')).toEqual([])
  expect((await progress(id)).removedEvents).toBe(2)
})

test('an erasure is not done while a job that began before it may still write', async () => {
  const { store, takeJob, runLate, wait, erase, clock, filesOf, progress, finish } = openPipeline()
  for (let i = 0; i < 4; i++) await store('ada', 'bob')
  const merge = await takeJob('merge')
  const id = await erase('ada')
  const erasedAt = clock.time
  while (clock.time < erasedAt + SETTINGS.jobMs - MINUTE) {
    await wait(MINUTE)
    expect((await progress(id)).status).not.toBe('done')
  }
  // The merge of a worker that was slow writes its files now, and fails to commit them.
  await runLate(merge, async () => {})
  await finish()
  expect(filesOf('ada')).toEqual([])
  expect((await progress(id)).status).toBe('done')
})

test.each([
  ['rewrite', 1],
  ['merge', 4],
] as const)(
  'a %s that begins while a compaction replaces an event, and ends after it, does not bring the event back',
  async (kind, segments) => {
    const { state, lake, compactor, consume, consumeId, store, takeJob, runBy, erase, run } = openPipeline()
    await consume('ada')
    await consumeId('replaced', { credentialed: false })
    await takeJob('compact').then(job => runBy(compactor, job))
    for (let i = 1; i < segments; i++) await store('bob', 'bob')
    if (kind === 'rewrite') await erase('ada')
    const late = await takeJob(kind)
    await consumeId('replaced', { credentialed: true })
    const compact = await takeJob('compact')

    const begun = Promise.withResolvers<void>()
    const committed = Promise.withResolvers<void>()
    const engine: Compactor = { ...compactor }
    for (const name of ['mergeSegments', 'rewriteSegment'] as const) {
      const work = compactor[name] as (job: unknown) => Promise<unknown>
      Object.assign(engine, {
        async [name](job: unknown) {
          begun.resolve()
          await committed.promise
          return work(job)
        },
      })
    }
    let lateRun: Promise<void> | undefined
    const replacing: Compactor = {
      ...compactor,
      async rewriteSegment(job) {
        lateRun ??= runBy(engine, late)
        await begun.promise
        return compactor.rewriteSegment(job)
      },
    }
    await runBy(replacing, compact)
    if (kind === 'merge') await runBy(compactor, late)
    committed.resolve()
    await lateRun
    await run()
    const copies = state
      .peekManifest(PROJECT.bucket)
      .segments.flatMap(segment => segmentKeys('segment_events', PROJECT.bucket, segment))
      .flatMap(key => lake.rows(key).filter(({ key: event_id }) => event_id === 'replaced'))
    expect(copies.map(({ isCredentialed }) => isCredentialed)).toEqual([true])
  },
)

test('two erasures are removed from a segment by one rewrite', async () => {
  const { store, erase, finish, filesOf, progress } = openPipeline()
  await store('ada', 'bob', 'bob', 'eve')
  const ids = [await erase('ada'), await erase('bob')]
  await finish()
  expect([filesOf('ada'), filesOf('bob')]).toEqual([[], []])
  expect(filesOf('eve')).not.toEqual([])
  for (const id of ids) expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 3 })
})

test.each([
  ['segments are rewritten', { withheld: 'rewrite' as const }],
  ['hot files are rewritten', { withheld: 'rewrite-hot' as const }],
  ['replaced segments are deleted', { keepErasedMs: 120 * MINUTE }],
])('an erasure is not done before %s', async (_, options) => {
  const { store, erase, finish, filesOf, progress } = openPipeline(options)
  await store('ada', 'bob')
  const id = await erase('ada')
  await finish()
  expect(filesOf('ada')).not.toEqual([])
  expect((await progress(id)).status).not.toBe('done')
})

test('an event that a slow consumer brings after the erasure was done is removed, and the erasure goes on until then', async () => {
  const { clock, store, run, erase, finish, filesOf, progress } = openPipeline()
  await store('ada', 'bob')
  const arrivedAt = clock.time
  const id = await erase('ada')
  await finish()
  expect((await progress(id)).status).toBe('done')
  const now = clock.time
  clock.time = arrivedAt
  await store('ada', 'bob')
  clock.time = now
  await run()
  expect((await progress(id)).status).toBe('running')
  await finish()
  expect(filesOf('ada')).toEqual([])
  expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 2 })
})

test.each([
  ['quarantine', 10],
  ['waiting', 30],
  ['aws/lambda', 10],
])(
  'events of a record that was in %s/ during the erasure, and that comes again %d days later, are left out',
  async (folder, days) => {
    const { clock, lake, store, run, erase, finish, filesOf, progress } = openPipeline()
    await store('ada', 'bob')
    await lake.put(`${folder}/0-1-1.jsonl`, new Uint8Array())
    const arrivedAt = clock.time
    const id = await erase('ada')
    await finish()
    for (let day = 0; day < days; day++) {
      clock.time += DAY_MS
      await run()
    }
    const now = clock.time
    clock.time = arrivedAt
    await store('ada', 'bob')
    clock.time = now
    await finish()
    expect(filesOf('ada')).toEqual([])
    expect(await progress(id)).toMatchObject({ status: 'done', removedEvents: 2 })
  },
)

test('a batch is forgotten after two days when nothing is set aside, or only records of later days', () => {
  const batch = {
    ...{ number: 1, first: 1, writer: '', rows: 1, oldestUntil: 0, newestUntil: 0, projects: null },
    ...{ createdAt: 0, lastEpoch: 1, hotUntil: 2, doneAt: MINUTE, removed: { events: 0, files: 0 } },
  }
  const unread = Number.POSITIVE_INFINITY
  const isOld = (setAside: number[], now: number, changes: Partial<typeof batch> | { doneAt: null } = {}) =>
    isForgettable({ ...batch, ...changes }, forgottenUntil({ setAside, unread }, now))
  // A stream keeps records for a week, and then they may be set aside.
  const [early, late] = [[7 * DAY_MS], [7 * DAY_MS + 1]]
  expect(isOld([], 2 * DAY_MS - 1)).toBe(false)
  expect(isOld(late, 8 * DAY_MS)).toBe(true)
  expect(isOld([...late, ...early], 8 * DAY_MS)).toBe(false)
  // S3 has deleted the object by then.
  expect(isOld(early, 38 * DAY_MS)).toBe(true)
  expect(isOld([], 38 * DAY_MS, { doneAt: null })).toBe(false)
  // Nobody can read the events of a deleted project, and retention deletes again each day.
  const forgotten = forgottenUntil({ setAside: early, unread }, 2 * DAY_MS)
  expect(isForgettable({ ...batch, oldestUntil: null }, forgotten)).toBe(true)
})
