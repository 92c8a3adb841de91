import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAthenaClient } from '#aws/clients'
import { type AthenaEngineSettings, createAthenaEngine } from '#aws/query-engine'
import type { QueryEngine, QueryStatistics } from '#core/ports'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { sql } from '#core/sql/sql'
import { createFolderLake } from '#local/lake/folder'
import { ENDLESS, queryEngineContract } from '#test/contract/query-engine'
import { type StatementEngine, startAthenaEmulator } from '#test/support/athena-emulator'
import { buildLake, type EventsRecord } from '#test/support/build-lake'
import { duckdbForAthena, LAKE_LOCATION } from '#test/support/duckdb-for-athena'
import { EMULATOR_ACCESS } from '#test/support/emulators'
import { openTestEngine } from '#test/support/test-engine'

const quick = { firstPollMs: 5, maxPollMs: 50 }

async function open(
  lakeDir: string,
  settings: Partial<AthenaEngineSettings> = {},
  wrap = (e: StatementEngine) => e,
) {
  const front = await startAthenaEmulator(wrap(await duckdbForAthena(lakeDir)))
  const client = createAthenaClient({ endpoint: front.endpoint, ...EMULATOR_ACCESS })
  const engine = createAthenaEngine({
    client,
    workGroup: 'footfall',
    database: 'footfall',
    lakeLocation: LAKE_LOCATION,
    ...quick,
    ...settings,
  })
  const close = async () => {
    client.destroy()
    await front.stop()
  }
  return { engine, close }
}

queryEngineContract('Athena (a front over DuckDB)', async answerLimits => {
  const lakeDir = await mkdtemp(join(tmpdir(), 'footfall-athena-lake-'))
  const { engine, close } = await open(lakeDir, { answerLimits })
  return {
    engine,
    async close() {
      await close()
      await rm(lakeDir, { recursive: true, force: true })
    },
  }
})

async function setUp(
  settings: Partial<AthenaEngineSettings> = {},
  wrap?: (engine: StatementEngine) => StatementEngine,
) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-athena-lake-'))
  const opened = await open(dir, settings, wrap)
  onTestFinished(async () => {
    await opened.close()
    await rm(dir, { recursive: true, force: true })
  })
  return { ...opened, dir }
}

test('all pages of a result come, without the header', async () => {
  const { engine } = await setUp()
  const rows = await engine.rows(
    sql`SELECT x, CAST(x AS varchar) AS t FROM UNNEST(generate_series(1, 2500)) AS s(x) ORDER BY x`,
  )
  expect(rows).toEqual(Array.from({ length: 2500 }, (_, i) => ({ x: i + 1, t: String(i + 1) })))
})

test('a result without rows is empty, and a row that equals the header stays', async () => {
  const { engine } = await setUp()
  expect(await engine.rows(sql`SELECT 1 AS one WHERE 1 = 2`)).toEqual([])
  expect(await engine.rows(sql`SELECT 'name' AS name`)).toEqual([{ name: 'name' }])
})

test('empty text and null differ, and text that looks like another type stays text', async () => {
  const { engine } = await setUp()
  expect(await engine.rows(sql`SELECT '' AS e, CAST(NULL AS varchar) AS n, '42' AS t, 'null' AS w`)).toEqual([
    { e: '', n: null, t: '42', w: 'null' },
  ])
})

test('a type that statements do not return throws with the name of its column', async () => {
  const { engine } = await setUp()
  await expect(engine.rows(sql`SELECT DATE '2026-11-21' AS day`)).rejects.toThrow('day is of a type')
  await expect(engine.rows(sql`SELECT CAST(1 AS decimal(9, 2)) AS amount`)).rejects.toThrow(
    'amount is of a type',
  )
})

test('a statement that takes too long is stopped and UNAVAILABLE', async () => {
  const stopped: string[] = []
  const { engine } = await setUp({ timeoutMs: 300 }, inner => ({
    ...inner,
    run: (text, signal, database) => {
      signal.addEventListener('abort', () => stopped.push(text))
      return inner.run(text, signal, database)
    },
  }))
  await expect(engine.rows(ENDLESS)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: 10 },
  })
  expect(stopped).toEqual([ENDLESS.text])
})

test('a report is the same on Athena and on the local engine, and has statistics on Athena', async () => {
  const NOW = Date.parse('2026-11-18T15:42:17.123Z')
  const project = {
    id: "proj_o'brien",
    name: 'shop',
    bucket: 7,
    created_at: '2026-10-01T00:00:00Z',
    has_event_ids: true,
  }
  const record: EventsRecord = {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: 7,
    received_at: NOW,
    seq: 5,
    country: 'DE',
    events: Array.from({ length: 40 }, (_, i) => ({
      event: i % 3 === 0 ? 'signup' : 'page_view',
      properties: { path: `/${i}` },
      user_id: `u${i % 7}`,
      session_id: `s${i % 11}`,
      timestamp: NOW - i * 3_600_000,
      event_id: i % 2 === 0 ? `e${i}` : null,
    })),
  }
  const { engine, dir } = await setUp()
  const epochs = [[[record]], [[{ ...record, seq: 50 }]], [[{ ...record, seq: 99 }]]]
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-athena-temp-'))
  const { openLake } = await buildLake({
    lake: createFolderLake(dir),
    tempDir,
    epochs,
    compacted: 3,
    mergeEnds: [2],
  })
  const local = await openTestEngine({ lakeDir: dir })
  onTestFinished(async () => {
    await local.close()
    await rm(tempDir, { recursive: true, force: true })
  })
  const costs: QueryStatistics[] = []
  const metered: QueryEngine = {
    rows: (query, options) => engine.rows(query, { ...options, onStatistics: cost => costs.push(cost) }),
  }
  const statsBy = (queryEngine: QueryEngine) =>
    runReport(
      stats,
      { engine: queryEngine, openLake, clock: { now: () => NOW } },
      {
        project,
        query: { since: undefined, days: 7, groupBy: 'day' },
        signal: new AbortController().signal,
      },
    )
  const report = await statsBy(metered)
  expect(report.totals.total_events).toBeGreaterThan(40)
  expect(report).toEqual(await statsBy(local))
  expect(costs.every(({ bytesScanned }) => bytesScanned > 0)).toBe(true)
  expect(costs.length).toBeGreaterThan(1)
})
