import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeHot } from '#core/lake/parquet'
import { toHotRows } from '#core/lake/rows'
import type { Log } from '#core/ports'
import { integer, scanning, sql } from '#core/sql'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine, type QueryEngineSettings } from '#local/lake/query-engine'
import { ENDLESS, queryEngineContract } from '#test/contract/query-engine'
import { damaged } from '#test/support/damaged'

queryEngineContract('DuckDB over a folder', async () => {
  const { engine, remove } = await fresh()
  return { engine, close: remove }
})

async function fresh(settings: Partial<QueryEngineSettings> = {}) {
  const lakeDir = await mkdtemp(join(tmpdir(), 'footfall-engine-'))
  const logged: Parameters<Log>[] = []
  const engine = await openQueryEngine({
    lakeDir,
    log: (...line) => logged.push(line),
    threads: 1,
    ...settings,
  })
  const remove = async () => {
    await engine.close()
    await rm(lakeDir, { recursive: true, force: true })
  }
  return { lakeDir, lake: createFolderLake(lakeDir), engine, logged, remove }
}

async function setUp(settings: Partial<QueryEngineSettings> = {}) {
  const made = await fresh(settings)
  onTestFinished(made.remove)
  return made
}

/** A hot file of `count` events. */
function hotFile(count = 3): Uint8Array {
  return encodeHot(
    toHotRows({
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
    }),
  )
}

const INVALIDATED =
  'FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted'

const countHot = sql`SELECT count(*) AS n, count(path) AS paths FROM events_hot`

test('a text that begins with a byte order mark, and a negative zero, come back as they are', async () => {
  const { engine } = await setUp()
  const values = { text: '\ufeffa', mark: '\ufeff', zero: -0 }
  const found = await engine.rows(
    sql`SELECT ${values.text} AS text, ${values.mark} AS mark, ${values.zero} AS zero`,
  )
  expect(found).toStrictEqual([values])
})

test('files that come, and files that go, are seen by the next statement', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
  await lake.put('hot/epoch=2/0-2-2.parquet', hotFile(5))
  expect(await engine.rows(countHot)).toEqual([{ n: 8, paths: 8 }])
  await lake.delete(['hot/epoch=1/0-1-1.parquet'])
  expect(await engine.rows(countHot)).toEqual([{ n: 5, paths: 5 }])
})

test('statements of one snapshot see the same files, whatever comes meanwhile', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  const snapshot = {}
  expect(await engine.rows(countHot, { snapshot })).toEqual([{ n: 3, paths: 3 }])
  await lake.put('hot/epoch=1/0-2-2.parquet', hotFile(5))
  expect(await engine.rows(countHot, { snapshot })).toEqual([{ n: 3, paths: 3 }])
  expect(await engine.rows(countHot, { snapshot: {} })).toEqual([{ n: 8, paths: 8 }])
})

test('a file that is gone is looked for once more, also within a snapshot', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  await lake.put('hot/epoch=1/0-2-2.parquet', hotFile(5))
  const snapshot = {}
  await engine.rows(countHot, { snapshot })
  await lake.delete(['hot/epoch=1/0-2-2.parquet'])
  expect(await engine.rows(countHot, { snapshot })).toEqual([{ n: 3, paths: 3 }])
  expect(logged).toEqual([])
})

test('a system that opens no more files is not taken for damage', async () => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(3))
  const key = 'hot/epoch=1/0-1-1.parquet'
  const spy = vi
    .spyOn(DuckDBConnection.prototype, 'prepare')
    .mockRejectedValueOnce(new Error(`IO Error: Cannot open file "${key}": Too many open files`))
  onTestFinished(() => spy.mockRestore())
  await expect(engine.rows(countHot)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(logged).toEqual([])
})

test('only the partitions that a statement scans are looked at', async () => {
  const { lake, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', Buffer.from('not Parquet'))
  await lake.put('hot/epoch=2/0-2-2.parquet', hotFile(2))
  const second = scanning(sql`SELECT count(*) AS n FROM events_hot WHERE epoch >= ${integer(2)}`, {
    table: 'events_hot',
    epoch: [2, 9],
  })
  expect(await engine.rows(second)).toEqual([{ n: 2 }])
})

test('a file of before a column was added reads null in it', async () => {
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
  ['no Parquet at all', () => Buffer.from('not Parquet')],
  ['cut off at the end', () => hotFile().subarray(0, 200)],
  ['of no bytes', () => new Uint8Array()],
  [
    'overwritten in the middle',
    () => {
      const bytes = Buffer.from(hotFile(2000))
      bytes.fill(0xa5, 200, bytes.length - 6000)
      return bytes
    },
  ],
])('a file that is %s answers UNAVAILABLE, and the log names its key', async (_, damaged) => {
  const { lake, engine, logged } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
  await lake.put('hot/epoch=1/0-2-2.parquet', damaged())
  const all = sql`SELECT max(path) AS p, max(user_id) AS u, max(properties) AS r, max(seq) AS s, max(event) AS e
    FROM events_hot`
  await expect(engine.rows(all)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(logged).toEqual([
    ['LAKE_OBJECT_DAMAGED', expect.objectContaining({ key: 'hot/epoch=1/0-2-2.parquet' })],
  ])
  await lake.delete(['hot/epoch=1/0-2-2.parquet'])
  expect(await engine.rows(countHot)).toEqual([{ n: 3, paths: 3 }])
})

test('a file that is made anew while a statement reads the damaged one fails no statement', async () => {
  const { lake, engine, logged } = await setUp()
  const key = 'hot/epoch=1/0-1-1.parquet'
  const whole = hotFile(2000)
  await lake.put(key, damaged(whole))
  const failures: unknown[] = []
  const { prepare } = DuckDBConnection.prototype
  const spy = vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementationOnce(async function (
    this: DuckDBConnection,
    text,
  ) {
    const statement = await prepare.call(this, text)
    vi.spyOn(statement, 'runAndReadAll').mockImplementationOnce(async () => {
      const failed = await statement.runAndReadAll().catch(error => error)
      failures.push(String(failed))
      await lake.put(key, whole)
      throw failed
    })
    return statement
  })
  onTestFinished(() => spy.mockRestore())
  expect(await engine.rows(countHot)).toEqual([{ n: 2000, paths: 2000 }])
  expect(failures).toEqual([expect.not.stringContaining(key)])
  expect(logged).toEqual([])
})

test('a database that a fatal error has closed is replaced, and the statements of then are run on the new one', async () => {
  const { lake, engine } = await setUp({ concurrency: 2 })
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile())
  await Promise.all([engine.rows(countHot), engine.rows(countHot)])
  const { prepare } = DuckDBConnection.prototype
  const closed = new Set<DuckDBConnection>()
  // No statement of ours is known to do this to DuckDB: what it says then is played.
  const spy = vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementation(function (
    this: DuckDBConnection,
    text,
  ) {
    if (closed.size < 2) closed.add(this)
    return closed.has(this) ? Promise.reject(new Error(INVALIDATED)) : prepare.call(this, text)
  })
  onTestFinished(() => spy.mockRestore())
  for (let round = 0; round < 3; round++) {
    const found = await Promise.all([engine.rows(countHot), engine.rows(countHot)])
    expect(found).toEqual([[{ n: 3, paths: 3 }], [{ n: 3, paths: 3 }]])
  }
  expect((spy.mock.contexts as DuckDBConnection[]).filter(used => closed.has(used))).toHaveLength(2)
})

test('a statement that runs too long is ended with UNAVAILABLE and a time to wait', async () => {
  const { engine } = await setUp({ timeoutMs: 100 })
  await expect(engine.rows(ENDLESS)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    extras: { retryAfter: expect.any(Number) },
  })
  expect(await engine.rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
})

test('a statement that waits too long for its turn is refused with UNAVAILABLE', async () => {
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

test('a caller who leaves the line gives the turn to the next', async () => {
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

test('a query beyond the memory and the spill space is refused, and the next one works', async () => {
  const { engine } = await setUp({ memoryMb: 64, spillMb: 1 })
  const hungry = sql`SELECT len(array_agg(CAST(x + 1000000000000 AS varchar))) AS n
    FROM UNNEST(generate_series(1, 9000000)) AS t(x)`
  await expect(engine.rows(hungry)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await engine.rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
})

test('closing ends what runs and leaves no files behind', async () => {
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-spill-'))
  onTestFinished(() => rm(tempDir, { recursive: true, force: true }))
  const { engine, remove } = await fresh({ tempDir })
  const ended = expect(engine.rows(ENDLESS)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await readdir(tempDir)).toHaveLength(1)
  await remove()
  await ended
  expect(await readdir(tempDir)).toEqual([])
})

test('a file that is still being written is not read', async () => {
  const { lake, lakeDir, engine } = await setUp()
  await lake.put('hot/epoch=1/0-1-1.parquet', hotFile(1))
  await writeFile(join(lakeDir, 'hot/epoch=1/0-2-2.parquet.17-0.unfinished'), 'half')
  expect(await engine.rows(countHot)).toEqual([{ n: 1, paths: 1 }])
})
