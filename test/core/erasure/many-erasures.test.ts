import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPerson } from '#core/erasure/find-person'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { MAX_BATCHES, MAX_LISTED_PROJECTS, openTombstones, userHash } from '#core/lake/erase/tombstones'
import { addEpoch, emptyManifest, type Manifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import { createManifestObjects } from '#core/lake/model/manifest-objects'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { MANIFEST_BYTES } from '#schemas/manifests'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import type { BuiltLake, EventsRecord } from '#test/support/build-lake'
import { segmentOf } from '#test/support/fixed-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordingEngine } from '#test/trino/recording-engine'

const DAY_MS = 86_400_000
const BUCKET = 7
const PROJECT = {
  ...{ id: 'proj_1', name: 'shop', bucket: BUCKET, has_event_ids: false },
  created_at: new Date(NOW - 60 * DAY_MS).toISOString(),
}
const USERS = 10_500
const user = (i: number) => `user ${i}`

describe('10,000 erasures of a project', () => {
  let folder: FolderLake
  let built: BuiltLake
  beforeAll(async () => {
    folder = await openFolderLake()
    built = await folder.build({
      epochs: [[[recordOf(2)], [recordOf(1)]], [[recordOf(0)]]],
      compacted: 2,
    })
  })
  afterAll(() => folder.close())

  /** Each user sends an event on this day, in a session of their own. */
  function recordOf(daysAgo: number): EventsRecord {
    const at = NOW - daysAgo * DAY_MS - 3_600_000
    return {
      ...{ kind: 'events', project_id: PROJECT.id, account_id: 'acc_1', bucket: BUCKET, country: 'DE' },
      ...{ received_at: at, seq: 1_000_000 * daysAgo },
      events: Array.from({ length: USERS }, (_, i) => ({
        ...{ event: 'page_view', properties: { path: `/${i % 9}` }, user_id: user(i), event_id: null },
        ...{ session_id: `session ${i} ${daysAgo}`, timestamp: at },
      })),
    }
  }

  function openWriter() {
    const state = {
      manifest: async (bucket: number) => built.manifests.get(bucket) ?? emptyManifest(bucket),
      async saveManifest(manifest: Manifest) {
        built.manifests.set(manifest.bucket, manifest)
        return true
      },
    }
    const clock = { time: NOW, now: () => clock.time, sleep: async () => {} }
    const writer = createTombstoneWriter({ state, lake: folder.lake, clock })
    return { clock, writer }
  }

  async function readStats() {
    const engine = recordingEngine(folder.engine)
    const services = { engine, openLake: built.openLake, clock: { now: () => NOW } }
    const body = await runReport(stats, services, {
      project: PROJECT,
      query: { since: '30d', groupBy: 'day' },
    })
    const statements = engine
      .recordedStatements()
      .map(({ query: { text, params } }) => `${text.length} characters, ${params.length} values`)
      .toSorted()
    const page = await runReport(sessions, services, { project: PROJECT, query: { since: '30d', limit: 5 } })
    const rowsOfSessions = engine
      .recordedStatements()
      .filter(({ query: { scans = [] } }) => scans.some(({ table }) => table === 'segment_sessions'))
    const readEvents = rowsOfSessions.some(({ query: { scans = [] } }) =>
      scans.some(({ table }) => table === 'segment_events'),
    )
    return { totals: body.totals, sessions: page.total_rows, statements, readEvents }
  }

  test('are hidden at once, and a read has the same statements as with one', async () => {
    const { writer, clock } = openWriter()
    await writer.add(BUCKET, { project_id: PROJECT.id, users: [userHash(user(0))], until: NOW })
    const withOne = await readStats()
    expect(withOne.totals).toMatchObject({ total_events: 3 * (USERS - 1), unique_users: USERS - 1 })
    expect(withOne).toMatchObject({ sessions: 3 * (USERS - 1), readEvents: false })
    for (let i = 1; i < 10_000; i += 500) {
      clock.time += 20_000
      const numbers = Array.from({ length: 500 }, (_, j) => i + j).filter(each => each < 10_000)
      await Promise.all(
        numbers.map(each =>
          writer.add(BUCKET, { project_id: PROJECT.id, users: [userHash(user(each))], until: NOW }),
        ),
      )
    }
    const batches = built.manifests.get(BUCKET)?.tombstones ?? []
    expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(10_000)
    expect(batches.length).toBeLessThan(12)
    const withAll = await readStats()
    expect(withAll.totals).toMatchObject({
      total_events: 3 * (USERS - 10_000),
      unique_users: USERS - 10_000,
    })
    expect(withAll).toMatchObject({ sessions: 3 * (USERS - 10_000), readEvents: false })
    expect(withAll.statements).toEqual(withOne.statements)
    const services = { engine: folder.engine, openLake: built.openLake, clock: { now: () => NOW } }
    const found = await findPerson(services, PROJECT, [user(5), user(10_400)], undefined)
    expect(found).toEqual({ events: 3, sessions: 3 })
  })

  test('leave a segment in one rewrite, and a hot file in one', async () => {
    const manifest = built.manifests.get(BUCKET) ?? expect.unreachable()
    const [segment = expect.unreachable()] = manifest.segments
    const tombstones = openTombstones(manifest, segment)
    const generation = manifest.tombstoneCount
    const rewritten = await built.compactor.rewriteSegment({
      bucket: BUCKET,
      segment,
      generation,
      tombstones,
    })
    expect(rewritten?.segment).toMatchObject({ rows: 2 * (USERS - 10_000), erased: generation })
    const hot = (await folder.lake.list('hot/epoch=2/')).map(({ key }) => key)
    expect(await built.compactor.rewriteHot({ keys: hot, buckets: [{ bucket: BUCKET, tombstones }] })).toBe(1)
    const merged = await built.compactor.mergeTombstones({
      ...{ bucket: BUCKET, batches: tombstones, writer: '1-0a' },
      forgotten: { persons: 0, projects: 0, unread: 0 },
    })
    expect(merged).toMatchObject({ rows: 10_000, first: 1, number: generation, projects: [PROJECT.id] })
  })
})

test('a person of 20,000 ids is found and erased by one file', async () => {
  const folder = await openFolderLake()
  try {
    const ids = Array.from({ length: 20_000 }, (_, i) => user(i))
    const at = NOW - 3_600_000
    const record: EventsRecord = {
      ...{ kind: 'events', project_id: PROJECT.id, account_id: 'acc_1', bucket: BUCKET, country: null },
      ...{ received_at: at, seq: 1 },
      events: [...ids, 'other'].map(user_id => ({
        ...{ event: 'a', properties: null, user_id, event_id: null, session_id: null, timestamp: at },
      })),
    }
    const built = await folder.build({ epochs: [[[record]]], compacted: 1 })
    const services = { engine: folder.engine, openLake: built.openLake, clock: { now: () => NOW } }
    expect(await findPerson(services, PROJECT, ids, undefined)).toEqual({ events: 20_000, sessions: 0 })
    const state = {
      manifest: async (bucket: number) => built.manifests.get(bucket) ?? emptyManifest(bucket),
      async saveManifest(manifest: Manifest) {
        built.manifests.set(manifest.bucket, manifest)
        return true
      },
    }
    const clock = { now: () => NOW }
    const writer = createTombstoneWriter({ state, lake: folder.lake, clock })
    const users = ids.map(userHash)
    await writer.add(BUCKET, { project_id: PROJECT.id, users, until: NOW })
    const body = await runReport(stats, services, {
      project: PROJECT,
      query: { since: '7d', groupBy: 'day' },
    })
    expect(body.totals).toMatchObject({ total_events: 1, unique_users: 1 })
  } finally {
    await folder.close()
  }
})

test('the object of a manifest stays within half of its bound: 100 million events in a month, and as many batches of tombstones as a bucket may have', async () => {
  const EPOCHS_A_DAY = 144
  const rows = Math.ceil(100_000_000 / (30 * EPOCHS_A_DAY))
  const bytes = 25 * rows
  let manifest = emptyManifest(63)
  let largest = 0
  for (let epoch = 1; epoch <= 30 * EPOCHS_A_DAY; epoch++) {
    const now = NOW + epoch * 600_000
    const times = { firstAt: now - 600_000, lastAt: now, lastArrival: Math.floor(now / 1_000) }
    const common = {
      rows,
      bytes,
      ...times,
      generation: epoch,
      erased: epoch,
      eventIds: rows,
    }
    manifest = addEpoch(
      manifest,
      epoch,
      segmentOf({ ...common, from: epoch, until: epoch + 1, knowsSplit: true }),
    )
    for (;;) {
      const chosen = nextMerge(manifest, MAINTENANCE_DEFAULTS)
      const [first, last] = [chosen[0], chosen.at(-1)]
      if (first === undefined || last === undefined) break
      const sum = (name: 'rows' | 'bytes') => chosen.reduce((total, segment) => total + segment[name], 0)
      const target = { ...last, from: first.from, rows: sum('rows'), bytes: sum('bytes') }
      manifest = replaceSegments(manifest, chosen, target, now) ?? manifest
    }
    const retired = manifest.retired.filter(({ retiredAt }) => retiredAt > now - DAY_MS)
    manifest = { ...manifest, retired }
    largest = Math.max(largest, manifest.segments.length + manifest.retired.length)
  }
  const batch = {
    ...{ number: 10_000_000, first: 10_000_000, writer: `${NOW}-0123abcd`, rows: 5_000, createdAt: NOW },
    ...{
      oldestUntil: NOW / 1_000,
      newestUntil: NOW / 1_000,
      lastEpoch: 100_000,
      hotUntil: 100_001,
      doneAt: NOW,
    },
    projects: Array<string>(MAX_LISTED_PROJECTS).fill('proj_0123456789abcdef'),
    removed: { events: 100_000_000, files: 1_000 },
  }
  const tombstones = Array.from({ length: MAX_BATCHES }, () => batch)
  const objects = createManifestObjects({ lake: createSimulatedLake(), clock: { now: () => NOW } })
  const { pointer } = await objects.write({ ...manifest, tombstones, tombstoneCount: batch.number })
  expect(pointer.bytes).toBeLessThan(MANIFEST_BYTES / 2)
  expect(largest).toBeGreaterThan(EPOCHS_A_DAY)
})
