import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import type { Log, QueryStatistics } from '#core/ports'
import { MAX_ANSWER_BYTES, MAX_ANSWER_ROWS } from '#core/sql/answer-meter'
import { integer, join, NOT_MATERIALIZED, sql } from '#core/sql/sql'
import type { QueryEngineSettings } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import { ENDLESS, queryEngineContract } from '#test/contract/query-engine'
import { damageParquet } from '#test/support/damage-parquet'
import { inFiles } from '#test/support/in-files'
import { openTestEngine } from '#test/support/test-engine'

queryEngineContract('DuckDB over a folder', async answerLimits => {
  const { engine, remove } = await openEngine({ answerLimits })
  return { engine, close: remove }
})

async function openEngine(settings: Partial<QueryEngineSettings> = {}) {
  const lakeDir = await mkdtemp(joinPath(tmpdir(), 'footfall-engine-'))
  const logged: Parameters<Log>[] = []
  const engine = await openTestEngine({
    lakeDir,
    log: (...line) => logged.push(line),
    ...settings,
  })
  const remove = async () => {
    await engine.close()
    await rm(lakeDir, { recursive: true, force: true })
  }
  return { lakeDir, lake: createFolderLake(lakeDir), engine, logged, remove }
}

async function setUp(settings: Partial<QueryEngineSettings> = {}) {
  const world = await openEngine(settings)
  onTestFinished(world.remove)
  return world
}

/** The bytes of a hot file with `count` events. */
function hotFile(count = 3): Uint8Array {
  return encodeHot(
    hotColumnsOf([
      {
        kind: 'events',
        project_id: 'proj_1',
        account_id: 'acc_1',
        bucket: 7,
        received_at: 1_763_700_000_000,
        seq: 1,
        country: 'DE',
        events: Array.from({ length: count }, (_, i) => ({
          event: 'page_view',
          properties: { path: `/${i}` },
          user_id: 'u',
          session_id: 's',
          timestamp: 1_763_700_000_000,
          event_id: null,
        })),
      },
    ]),
  )
}

const INVALIDATED =
  'FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted'

const countHot = sql`SELECT count(*) AS n, count(path) AS paths FROM events_hot`

test('a text that begins with a byte order mark or is our own comment, and a negative zero, are returned unchanged', async () => {
  const { engine } = await setUp()
  const values = { text: '\ufeffa', mark: '\ufeff', comment: NOT_MATERIALIZED.text, zero: -0 }
  const rows = await engine.rows(
    sql`SELECT ${values.text} AS text, ${values.mark} AS mark, ${values.comment} AS comment, ${values.zero} AS zero`,
  )
  expect(rows).toStrictEqual([values])
})

test('the next statement sees new files and no longer sees deleted files', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
  await lake.put('hot/epoch=2/0-2-2.parquet', hotFile(5))
  expect(await engine.rows(countHot)).toEqual([{ n: 8, paths: 8 }])
  await lake.delete(['hot/epoch=1/0-1-1.parquet'])
  expect(await engine.rows(countHot)).toEqual([{ n: 5, paths: 5 }])
})

test('a statement opens exactly the files that it names, and each of them once', async () => {
  const { lake, engine } = await setUp()
  const [first, second, other] = [1, 2, 3].map(n => `hot/epoch=1/0-${n}-${n}.parquet`) as [
    string,
    string,
    string,
  ]
  await lake.put(first, hotFile(3))
  await lake.put(second, hotFile(5))
  await lake.put(other, Buffer.from('not Parquet'))
  const count = (files: string[]) =>
    sql`SELECT count(*) AS n FROM events_hot WHERE ${inFiles('events_hot', files)}`
  expect(await engine.rows(count([first]))).toEqual([{ n: 3 }])
  expect(await engine.rows(count([first, second]))).toEqual([{ n: 8 }])
  expect(await engine.rows(count([]))).toEqual([{ n: 0 }])
  const twice = sql`SELECT max(n) AS n FROM (${count([first])} UNION ALL ${count([first, second])}) AS counted`
  expect(await engine.rows(twice)).toEqual([{ n: 8 }])
})

test('each scan of a statement reads its own files, and scans with the same files share a list', async () => {
  const { lake, engine } = await setUp()
  const [first, second] = ['hot/epoch=1/0-1-1.parquet', 'hot/epoch=1/0-2-2.parquet'] as const
  await lake.put(first, hotFile(3))
  await lake.put(second, hotFile(5))
  const spy = vi.spyOn(DuckDBConnection.prototype, 'run')
  onTestFinished(() => spy.mockRestore())
  const count = (files: string[]) =>
    sql`SELECT count(*) AS n, max(events_hot.path) AS last FROM events_hot WHERE ${inFiles('events_hot', files)} AND bucket = ${7}`
  const counts = [[first], [second], [first, second], [], [first]].map(count)
  const statement = () => engine.rows(sql`${join(counts, ' UNION ALL ')} ORDER BY n`)
  expect((await statement()).map(({ n, last }) => [n, last])).toEqual([
    [0, null],
    [3, '/2'],
    [3, '/2'],
    [5, '/4'],
    [8, '/4'],
  ])
  const lists = () => spy.mock.calls.filter(([text]) => text.startsWith('SET VARIABLE')).length
  expect(lists()).toBe(4)
  await statement()
  expect(lists()).toBe(4)
})

test('a statement whose condition on files does not directly follow its table is refused', async () => {
  const { engine } = await setUp()
  const files = inFiles('events_hot', [])
  await expect(engine.rows(sql`SELECT 1 FROM events_hot AS e WHERE ${files}`)).rejects.toThrow('scans')
  await expect(engine.rows(sql`SELECT 1 FROM links WHERE ${files}`)).rejects.toThrow('is not of links')
})

test('equal statements of one snapshot are one run while it lasts, and each caller gets its statistics', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndRead')
  onTestFinished(() => spy.mockRestore())
  const snapshot = {}
  const statistics: QueryStatistics[] = []
  const ask = () => engine.rows(countHot, { snapshot, onStatistics: cost => statistics.push(cost) })
  const rows = await Promise.all(Array.from({ length: 10 }, ask))
  expect(rows).toEqual(Array(10).fill([{ n: 3, paths: 3 }]))
  expect(countRuns(spy)).toBe(1)
  expect(statistics).toHaveLength(10)
  expect(statistics[0]).toMatchObject({ engine: 'duckdb', rowsScanned: 3, costUsd: 0 })
  await Promise.all([ask(), engine.rows(countHot, { snapshot: {} })])
  expect(countRuns(spy)).toBe(3)
})

/** How often DuckDB ran the statement `countHot`. The engine also reads footers. */
function countRuns({ mock }: { mock: { calls: unknown[][] } }): number {
  return mock.calls.filter(([text]) => text === countHot.text).length
}

/** The engine opens the files itself. */
const NO_SIZES = { sizeOf: () => null }

test('an estimate has the rows of the files and the bytes of the columns that the statement names', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  await lake.put('hot/epoch=2/0-2-2.parquet', hotFile(2000))
  const one = await engine.estimate(sql`SELECT count(path) AS n FROM events_hot`, NO_SIZES)
  const two = await engine.estimate(
    sql`SELECT count(path) AS n, max(properties) AS p FROM events_hot`,
    NO_SIZES,
  )
  expect([one.rowsScanned, two.rowsScanned]).toEqual([2003, 2003])
  expect(one.bytesScanned).toBeGreaterThan(1000)
  expect(two.bytesScanned).toBeGreaterThan(one.bytesScanned)
})

test('heavy statements of one account do not hold up another account', async () => {
  const { engine } = await setUp({ concurrency: 1, queueMs: 60_000 })
  const heavy = new AbortController()
  const busy = [1, 2, 3].map(n =>
    engine.rows(sql`${ENDLESS} AND ${n} = ${n}`, { signal: heavy.signal, account: 'acc_busy' }),
  )
  const rejections = Promise.allSettled(busy)
  expect(await engine.rows(countHot, { account: 'acc_other' })).toEqual([{ n: 0, paths: 0 }])
  heavy.abort(new Error('enough'))
  await expect(rejections).resolves.toEqual(
    Array(3).fill({ status: 'rejected', reason: new Error('enough') }),
  )
})

test('when a listed file is deleted before it is opened, the folder is listed again', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  await lake.put('hot/epoch=1/0-2-2.parquet', hotFile(5))
  const { runAndRead } = DuckDBConnection.prototype
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndRead').mockImplementationOnce(async function (
    this: DuckDBConnection,
    text,
  ) {
    await lake.delete(['hot/epoch=1/0-2-2.parquet'])
    return runAndRead.call(this, text)
  })
  onTestFinished(() => spy.mockRestore())
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
  expect(countRuns(spy)).toBe(2)
  expect(logged).toEqual([])
})

test('a statement that names a missing file rejects with UNAVAILABLE, and the log names the key', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  const lost = 'hot/epoch=1/0-2-2.parquet'
  const query = sql`SELECT count(*) AS n FROM events_hot
    WHERE ${inFiles('events_hot', ['hot/epoch=1/0-1-1.parquet', lost])}`
  await expect(engine.rows(query)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(logged).toEqual([['LAKE_OBJECT_DAMAGED', expect.objectContaining({ key: lost })]])
  await lake.put(lost, hotFile(2))
  expect(await engine.rows(query)).toEqual([{ n: 5 }])
})

test('a system that opens no more files does not count as damage', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  const key = 'hot/epoch=1/0-1-1.parquet'
  const spy = vi
    .spyOn(DuckDBConnection.prototype, 'runAndRead')
    .mockRejectedValueOnce(new Error(`IO Error: Cannot open file "${key}": Too many open files`))
  onTestFinished(() => spy.mockRestore())
  await expect(engine.rows(countHot)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(logged).toEqual([])
})

test('a column that an older file does not have is null', async () => {
  const { lake, engine } = await setUp()
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  const old = parquetWriteBuffer({ columnData: [{ name: 'project_id', data: ['proj_old'], type: 'STRING' }] })
  await lake.put('hot/epoch=1/0-1-1.parquet', new Uint8Array(old))
  await lake.put('hot/epoch=1/0-2-2.parquet', hotFile(1))
  expect(await engine.rows(sql`SELECT project_id, path FROM events_hot ORDER BY project_id`)).toEqual([
    { project_id: 'proj_1', path: '/0' },
    { project_id: 'proj_old', path: null },
  ])
})

test.each([
  ['not Parquet', () => Buffer.from('not Parquet')],
  ['cut off at the end', () => hotFile().subarray(0, 200)],
  ['empty', () => new Uint8Array()],
  [
    'overwritten in the middle',
    () => {
      const bytes = Buffer.from(hotFile(2000))
      bytes.fill(0xa5, 200, bytes.length - 6000)
      return bytes
    },
  ],
])(
  'with a file that is %s the statement rejects with UNAVAILABLE, and the log names the key',
  async (_, damagedBytes) => {
    const { lake, engine, logged } = await setUp()
    await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
    await lake.put('hot/epoch=1/0-2-2.parquet', damagedBytes())
    const all = sql`SELECT max(path) AS p, max(user_id) AS u, max(properties) AS r, max(seq) AS s, max(event) AS e
    FROM events_hot`
    await expect(engine.rows(all)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(logged).toEqual([
      ['LAKE_OBJECT_DAMAGED', expect.objectContaining({ key: 'hot/epoch=1/0-2-2.parquet' })],
    ])
    await lake.delete(['hot/epoch=1/0-2-2.parquet'])
    expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
  },
)

test('a statement that fails on a damaged file runs again when the file is repaired in the meantime', async () => {
  const { lake, engine, logged } = await setUp()
  const key = 'hot/epoch=1/0-1-1.parquet'
  const whole = hotFile(2000)
  await lake.put(key, damageParquet(whole))
  const failures: unknown[] = []
  const { runAndRead } = DuckDBConnection.prototype
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndRead').mockImplementationOnce(async function (
    this: DuckDBConnection,
    text,
  ) {
    const failure = await runAndRead.call(this, text).catch(error => error)
    failures.push(String(failure))
    await lake.put(key, whole)
    throw failure
  })
  onTestFinished(() => spy.mockRestore())
  expect(await engine.rows(countHot)).toEqual([{ n: 2000, paths: 2000 }])
  expect(failures).toEqual([expect.not.stringContaining(key)])
  expect(logged).toEqual([])
})

test('a database that a fatal error has closed is replaced, and its statements run on the new one', async () => {
  const { lake, engine } = await setUp({ concurrency: 2 })
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
  await Promise.all([engine.rows(countHot), engine.rows(countHot)])
  const { runAndRead } = DuckDBConnection.prototype
  const closed = new Set<DuckDBConnection>()
  // We know no statement that causes a fatal error, so the test throws DuckDB's message itself.
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndRead').mockImplementation(function (
    this: DuckDBConnection,
    text,
  ) {
    if (closed.size < 2) closed.add(this)
    return closed.has(this) ? Promise.reject(new Error(INVALIDATED)) : runAndRead.call(this, text)
  })
  onTestFinished(() => spy.mockRestore())
  for (let round = 0; round < 3; round++) {
    const rows = await Promise.all([engine.rows(countHot), engine.rows(countHot)])
    expect(rows).toEqual([[{ n: 3, paths: 3 }], [{ n: 3, paths: 3 }]])
  }
  expect((spy.mock.contexts as DuckDBConnection[]).filter(connection => closed.has(connection))).toHaveLength(
    2,
  )
})

const INTERNAL = 'INTERNAL Error: Attempted to access index 0 within vector of size 0\n\nStack Trace:\n'

test('a statement that breaks the database runs once more on a new one, and the log counts it', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
  await engine.rows(countHot)
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndRead').mockRejectedValueOnce(new Error(INTERNAL))
  onTestFinished(() => spy.mockRestore())
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
  const connections = spy.mock.contexts as DuckDBConnection[]
  expect(new Set(connections).size).toBeGreaterThan(1)
  expect(logged).toEqual([
    ['QUERY_ENGINE_BROKEN', { reason: `Error: ${INTERNAL.split('\n')[0]}`, retried: true }],
  ])
})

test('a statement that breaks two databases rejects with UNAVAILABLE, and the next statement has a new one', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
  const spy = vi
    .spyOn(DuckDBConnection.prototype, 'runAndRead')
    .mockRejectedValueOnce(new Error(INTERNAL))
    .mockRejectedValueOnce(new Error(INTERNAL))
  onTestFinished(() => spy.mockRestore())
  await expect(engine.rows(countHot)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(logged.map(([code, fields]) => [code, fields?.retried])).toEqual([
    ['QUERY_ENGINE_BROKEN', true],
    ['QUERY_ENGINE_BROKEN', false],
  ])
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
})

test('a statement that runs too long rejects with UNAVAILABLE and Retry-After', async () => {
  const { engine } = await setUp({ timeoutMs: 100 })
  await expect(engine.rows(ENDLESS)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: expect.any(Number) },
  })
  expect(await engine.rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
})

test('a statement that waits too long in the queue rejects with UNAVAILABLE and Retry-After', async () => {
  const { engine } = await setUp({ concurrency: 1, queueMs: 50 })
  const first = new AbortController()
  const running = engine.rows(ENDLESS, { signal: first.signal })
  await expect(engine.rows(countHot)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: expect.any(Number) },
  })
  first.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  expect(await engine.rows(countHot)).toEqual([{ n: 0, paths: 0 }])
})

test('a waiting statement leaves the queue when its caller leaves, and the next one runs', async () => {
  const { engine } = await setUp({ concurrency: 1, queueMs: 60_000 })
  const first = new AbortController()
  const second = new AbortController()
  const running = engine.rows(ENDLESS, { signal: first.signal })
  const waiting = engine.rows(countHot, { signal: second.signal })
  const third = engine.rows(countHot)
  second.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  first.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  expect(await third).toEqual([{ n: 0, paths: 0 }])
})

test('an answer as large as one may be is read', async () => {
  const { engine } = await setUp()
  const rows = await engine.rows(
    sql`SELECT lpad('', ${integer(MAX_ANSWER_BYTES / MAX_ANSWER_ROWS)}, 'x') AS t
      FROM UNNEST(generate_series(1, ${integer(MAX_ANSWER_ROWS)})) AS s(x)`,
  )
  expect(rows).toHaveLength(MAX_ANSWER_ROWS)
})

test('a statement that needs more than the memory and the spill space rejects, and the next one works', async () => {
  const { engine } = await setUp({ memoryMb: 64, spillMb: 1 })
  const hungry = sql`SELECT len(array_agg(CAST(x + 1000000000000 AS varchar))) AS n
    FROM UNNEST(generate_series(1, 3000000)) AS t(x)`
  await expect(engine.rows(hungry)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await engine.rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
})

test('close ends the running statement and leaves no files', async () => {
  const tempDir = await mkdtemp(joinPath(tmpdir(), 'footfall-spill-'))
  onTestFinished(() => rm(tempDir, { recursive: true, force: true }))
  const { engine, remove } = await openEngine({ tempDir })
  const rejection = expect(engine.rows(ENDLESS)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await readdir(tempDir)).toHaveLength(1)
  await remove()
  await rejection
  expect(await readdir(tempDir)).toEqual([])
})

test('an unfinished file is not read', async () => {
  const { lake, lakeDir, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(1))
  await writeFile(joinPath(lakeDir, 'hot/epoch=1/0-2-2.parquet.17-0.unfinished'), 'half')
  expect(await engine.rows(countHot)).toEqual([{ n: 1, paths: 1 }])
})
