import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLakeCopies } from '#aws/lake-copies'
import { createSmallReads, openSmallReads, type SmallReadsSettings } from '#aws/small-reads'
import { events } from '#core/lake/read/relations'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { QueryEngine, QueryStatistics, Row, ScanEstimator } from '#core/ports'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { sql } from '#core/sql/sql'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { testProject } from '#test/support/account-fixtures'
import type { EventsRecord } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const DAY = 86_400_000
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z', has_event_ids: true })

/** Plays S3: the functions read it by its keys alone. */
let folder: FolderLake
let lake: LakeSnapshot

/** Two epochs in segments and one hot, with three events of two users in each. */
beforeAll(async () => {
  folder = await openFolderLake()
  const { openLake } = await folder.build({
    epochs: [2, 1, 0].map(daysAgo => [[recordOf(NOW - daysAgo * DAY)]]),
    compacted: 3,
  })
  lake = await openLake()
})
afterAll(() => folder.close())

function recordOf(at: number): EventsRecord {
  return {
    kind: 'events',
    project_id: project.id,
    received_at: at,
    bucket: project.bucket,
    events: ['page_view', 'signup', 'page_view'].map((event, i) => ({
      ...{ event, timestamp: at - i * 1_000, received_at: at, event_id: `${at}-${i}` },
      ...{ user_id: `u${i % 2}`, session_id: `s${i % 2}-${at}`, country: 'DE', properties: { path: '/' } },
    })),
  } as unknown as EventsRecord
}

/** Athena that knows one row, and counts. */
function fakeAthena() {
  const asked: string[] = []
  const engine: QueryEngine & ScanEstimator = {
    areScansBilled: true,
    async rows({ text }): Promise<Row[]> {
      asked.push(text)
      return [{ by: 'athena' }]
    },
    estimate: async () => ({ bytesScanned: 7, rowsScanned: 3, costUsd: 0.5 }),
  }
  return { engine, asked }
}

async function setUp(settings: Partial<SmallReadsSettings> = {}) {
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-reads-'))
  const lakeDir = join(tempDir, 'copies')
  const athena = fakeAthena()
  const logged: string[] = []
  const log = (code: string) => void logged.push(code)
  const duckdb = await openQueryEngine({ lakeDir, tempDir, log })
  onTestFinished(async () => {
    await duckdb.close()
    await rm(tempDir, { recursive: true, force: true })
  })
  const copies = createLakeCopies({ lake: folder.lake, folder: lakeDir, maxBytes: 1e9, maxFiles: 100 })
  const engine = createSmallReads({
    ...{ athena: athena.engine, copies, openDuckdb: async () => duckdb, log },
    largest: { bytes: 1e8, files: 100 },
    ...settings,
  })
  return { engine, athena, logged, duckdb }
}

function readStats(engine: QueryEngine) {
  const services = { engine, openLake: async () => lake, clock: { now: () => NOW } }
  return runReport(stats, services, { project, query: { since: '7d', groupBy: 'day', compare: 'previous' } })
}

/** Counts the nine events, hot ones too. */
async function countSql() {
  const snapshot = await lake.ofBucket(project.bucket)
  const read = { snapshot, project, from: NOW - 7 * DAY, to: NOW + 1, now: NOW }
  return sql`SELECT count(*) AS events FROM ${events(read, ['event'])} AS each_event`
}

test('a small read has the numbers of an engine over the lake itself, and Athena runs nothing', async () => {
  const { engine, athena, logged } = await setUp()
  const body = await readStats(engine)
  expect(body).toEqual(await readStats({ ...folder.engine, areScansBilled: true }))
  expect(body.totals.total_events).toBe(9)
  expect([athena.asked, logged]).toEqual([[], []])
})

test('the statistics of a small read name DuckDB, and it costs nothing', async () => {
  const { engine } = await setUp()
  const seen: QueryStatistics[] = []
  await engine.rows(await countSql(), { snapshot: lake, onStatistics: each => void seen.push(each) })
  expect(seen).toMatchObject([{ engine: 'duckdb', costUsd: 0 }])
})

test('Athena answers a read whose files are too large or too many, and one that names no files', async () => {
  const count = await countSql()
  const rows = [{ by: 'athena' }]
  const few = await setUp({ largest: { bytes: 1e8, files: 1 } })
  expect(await few.engine.rows(count, { snapshot: lake })).toEqual(rows)
  const small = await setUp({ largest: { bytes: 100, files: 100 } })
  expect(await small.engine.rows(count, { snapshot: lake })).toEqual(rows)
  const { engine } = await setUp()
  expect(await engine.rows(sql`SELECT 1 AS one`)).toEqual(rows)
})

test('where the snapshot knows no sizes, those of the copies decide, and nothing is copied twice', async () => {
  const asked: string[] = []
  const get = (key: string) => {
    asked.push(key)
    return folder.lake.get(key)
  }
  const dir = await mkdtemp(join(tmpdir(), 'footfall-copies-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const copies = createLakeCopies({ lake: { get }, folder: dir, maxBytes: 0, maxFiles: 100 })
  const { engine, athena } = await setUp({ copies, largest: { bytes: 100, files: 100 } })
  const count = await countSql()
  for (let read = 0; read < 3; read++) await engine.rows(count)
  expect(athena.asked).toHaveLength(3)
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
})

test('Athena answers where DuckDB fails, where it cannot be opened, and where a file is gone', async () => {
  const count = await countSql()
  const rows = [{ by: 'athena' }]
  const broken = { rows: () => Promise.reject(new Error('out of memory')) }
  const failing = await setUp({ openDuckdb: async () => broken })
  expect(await failing.engine.rows(count)).toEqual(rows)
  expect(failing.logged).toEqual(['SMALL_READ_FAILED'])
  let opens = 0
  const openDuckdb = async () => {
    opens += 1
    throw new Error('no library')
  }
  const closed = await setUp({ openDuckdb })
  for (let read = 0; read < 2; read++) expect(await closed.engine.rows(count)).toEqual(rows)
  expect([closed.logged.length, opens]).toEqual([2, 2])
  const { engine, logged } = await setUp()
  const key = 'segments/events/gone.parquet'
  const gone = { ...count, scans: [{ table: 'segment_events' as const, files: [key] }] }
  expect(await engine.rows(gone)).toEqual(rows)
  expect(logged).toEqual([])
})

test('a reader who leaves gets their reason, and Athena is not asked', async () => {
  const { engine, athena, logged } = await setUp()
  const leave = new AbortController()
  const left = new Error('left')
  leave.abort(left)
  await expect(engine.rows(await countSql(), { signal: leave.signal })).rejects.toBe(left)
  expect([athena.asked, logged]).toEqual([[], []])
})

test('the estimate of a small read costs nothing, and that of another one what Athena bills', async () => {
  const count = await countSql()
  const { engine } = await setUp()
  expect(await engine.estimate(count, lake)).toEqual({ bytesScanned: 7, rowsScanned: 3, costUsd: 0 })
  const small = await setUp({ largest: { bytes: 100, files: 100 } })
  expect(await small.engine.estimate(count, lake)).toMatchObject({ costUsd: 0.5 })
})

test('a process that begins empties the folder of the one before it', async () => {
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-reads-'))
  const opened: QueryEngine[] = []
  const open = () => {
    const athena = fakeAthena()
    const engine = openSmallReads({
      ...{ athena: athena.engine, lake: folder.lake, log: () => {}, memoryMb: 512, tempDir },
      openDuckdb: async settings => {
        const duckdb = await openQueryEngine(settings)
        opened.push(duckdb)
        onTestFinished(() => duckdb.close())
        return duckdb
      },
    })
    return { engine, athena }
  }
  onTestFinished(() => rm(tempDir, { recursive: true, force: true }))
  const count = await countSql()
  for (let start = 0; start < 2; start++) {
    const { engine, athena } = open()
    expect(await engine.rows(count)).toEqual([{ events: 9 }])
    expect(athena.asked).toEqual([])
  }
  expect(opened).toHaveLength(2)
})
