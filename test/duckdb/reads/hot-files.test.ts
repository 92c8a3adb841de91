import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import { sql } from '#core/sql/sql'
import type { QueryEngineSettings } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import { eventually } from '#test/support/eventually'
import { inFiles } from '#test/support/in-files'
import { openTestEngine } from '#test/support/test-engine'

const ARRIVAL = 1_763_700_000_000

/** A hot file with an event of each bucket. The path of an event is the name of the file. */
function hotFile(name: string, buckets: readonly number[], events = 1, text = ''): Uint8Array {
  return encodeHot(
    hotColumnsOf(
      buckets.map((bucket, i) => ({
        kind: 'events',
        project_id: `proj_${bucket}`,
        account_id: 'acc_1',
        bucket,
        received_at: ARRIVAL,
        seq: i * 1_000,
        country: 'DE',
        events: Array.from({ length: events }, (_, n) => ({
          event: 'page_view',
          properties: { path: name, title: text || `${n} ${Math.sin(n)}` },
          user_id: `u${n}`,
          session_id: 's',
          timestamp: ARRIVAL + n,
          event_id: null,
        })),
      })),
    ),
  )
}

async function setUp(settings: Partial<QueryEngineSettings> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-hot-'))
  const [lakeDir, tempDir] = [join(dir, 'lake'), join(dir, 'temp')]
  const lake = createFolderLake(lakeDir)
  const engine = await openTestEngine({ lakeDir, tempDir, ...settings })
  const spy = vi.spyOn(DuckDBConnection.prototype, 'run')
  onTestFinished(async () => {
    spy.mockRestore()
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })

  /** Writes hot files with the numbers [from, to) of an epoch. */
  async function write(
    from: number,
    to: number,
    { epoch = 1, shard = 'local', buckets = [7], events = 1, text = '' } = {},
  ) {
    const keys = Array.from(
      { length: to - from },
      (_, i) => `hot/epoch=${epoch}/${shard}-${from + i}-${from + i}.parquet`,
    )
    for (const key of keys) await lake.put(key, hotFile(key, buckets, events, text))
    return keys
  }

  /** The rows of these hot files: the names of their files, their epochs, and how many they are. */
  async function read(keys: readonly string[], bucket?: number): Promise<string[]> {
    const selected = bucket === undefined ? sql`true` : sql`bucket = ${bucket}`
    const rows = await engine.rows(
      sql`SELECT path, epoch, count(*) AS n FROM events_hot WHERE ${inFiles('events_hot', keys, bucket)} AND ${selected} GROUP BY path, epoch ORDER BY path`,
    )
    return rows.map(({ path, epoch, n }) => `${path} ${epoch} ${n}`)
  }

  /** The files that the last list of hot files has, without the empty one. */
  function opened(): string[] {
    const lists = spy.mock.calls
      .map(([text]) => text)
      .filter(text => text.startsWith('SET VARIABLE events_hot = '))
    return (lists.at(-1)?.match(/'[^']+'/g) ?? []).slice(1).map(path => path.slice(1, -1))
  }

  /** Reads the files until the engine opens at most `count` files for them. */
  async function readUntil(keys: readonly string[], count: number): Promise<void> {
    await vi.waitUntil(
      async () => {
        await read(keys)
        return opened().length <= count
      },
      { timeout: 60_000 },
    )
  }

  return { lakeDir, tempDir, lake, engine, write, read, opened, readUntil }
}

const rowsOf = (keys: readonly string[], epoch = 1) => keys.map(key => `${key} ${epoch} 1`).toSorted()

test('many small hot files of an epoch become a few files, with the same rows', async () => {
  const { write, read, opened, readUntil } = await setUp()
  const keys = await write(0, 90)
  expect(await read(keys)).toEqual(rowsOf(keys))
  expect(opened()).toHaveLength(90)
  // One of 64, three of 8, and two that wait.
  await readUntil(keys, 6)
  expect(await read(keys)).toEqual(rowsOf(keys))
})

test('a scan of other files reads those files alone', async () => {
  const { write, read, opened, readUntil } = await setUp()
  const keys = await write(0, 8)
  await readUntil(keys, 1)
  const [first, ...others] = keys
  expect(await read(others)).toEqual(rowsOf(others))
  expect(opened()).toHaveLength(7)
  const [later] = await write(8, 9)
  expect(await read([...keys, String(later)])).toEqual(rowsOf([...keys, String(later)]))
  expect(opened()).toHaveLength(2)
  expect(await read([String(first)])).toEqual(rowsOf([String(first)]))
})

test('only files of the same epoch and the same shard are joined, and each row keeps its epoch', async () => {
  const { write, read, opened, readUntil } = await setUp()
  const [one, two, busy] = [
    await write(0, 8),
    await write(8, 16, { epoch: 2 }),
    await write(16, 24, { shard: 'local-busy' }),
  ] as const
  await readUntil([...one, ...two, ...busy], 3)
  expect(await read([...one, ...two, ...busy])).toEqual(
    [...rowsOf([...one, ...busy]), ...rowsOf(two, 2)].toSorted(),
  )
  expect(opened()).toHaveLength(3)
})

test('large hot files are not joined', async () => {
  const { lakeDir, write, read, opened, readUntil } = await setUp()
  const large = await write(0, 8, { events: 5_000 })
  const small = await write(8, 16)
  await readUntil([...large, ...small], 9)
  await read([...large, ...small])
  expect(opened()).toHaveLength(9)
  // Without the limit, these come first and are in the joined file.
  expect(opened()).toEqual(expect.arrayContaining(large.map(key => join(lakeDir, key))))
})

test('hot files of many rows are not joined, however few bytes they have', async () => {
  const { lakeDir, write, read, opened, readUntil } = await setUp()
  const many = await write(0, 8, { events: 2_049, text: 'x' })
  const small = await write(8, 16)
  await readUntil([...many, ...small], 9)
  await read([...many, ...small])
  expect(opened()).toHaveLength(9)
  // Without the limit, these come first and are in the joined file.
  expect(opened()).toEqual(expect.arrayContaining(many.map(key => join(lakeDir, key))))
})

test('a joined file of equal texts, as large in memory as a stranger can make it, is written and read with 256 MB', async () => {
  const { engine, write, opened, readUntil } = await setUp({ memoryMb: 256 })
  // A claim has at most 8 MB of events. Eight of these files become one joined file. The two joined files
  // have too many rows to be joined again.
  const keys = await write(0, 16, { events: 1_000, text: 'x'.repeat(8_000) })
  await readUntil(keys, 2)
  const [row] = await engine.rows(
    sql`SELECT count(*) AS n, sum(length(title)) AS bytes FROM events_hot WHERE ${inFiles('events_hot', keys)}`,
  )
  expect(row).toEqual({ n: 16_000, bytes: 128_000_000 })
  expect(opened()).toHaveLength(2)
})

test('a scan of one bucket leaves out the files that have none of its rows', async () => {
  const { write, read, opened, readUntil } = await setUp()
  const keys = [
    ...(await write(0, 3)),
    ...(await write(3, 6, { buckets: [3, 9] })),
    ...(await write(6, 14, { buckets: [60], shard: 'other' })),
  ]
  await read(keys)
  expect(await read(keys, 7)).toEqual(rowsOf(keys.slice(0, 3)))
  // The buckets of a file are between its lowest and its highest one.
  expect(opened()).toHaveLength(6)
  expect(await read(keys, 9)).toEqual(rowsOf(keys.slice(3, 6)))
  expect(opened()).toHaveLength(3)
  await readUntil(keys, 7)
  expect(await read(keys, 60)).toEqual(rowsOf(keys.slice(6)))
  expect(opened()).toHaveLength(1)
  expect(await read(keys, 7)).toEqual(rowsOf(keys.slice(0, 3)))
  expect(opened()).toHaveLength(6)
})

test('without its joined files the engine reads the hot files again', async () => {
  const { write, read, readUntil, tempDir } = await setUp()
  const keys = await write(0, 8)
  await readUntil(keys, 1)
  const joined = await joinedIn(tempDir)
  await rm(String(joined[0]))
  expect(await read(keys)).toEqual(rowsOf(keys))
  await readUntil(keys, 1)
  for (const file of await joinedIn(tempDir)) await writeFile(file, 'no Parquet')
  expect(await read(keys)).toEqual(rowsOf(keys))
})

test('a joined file that no scan has read for twice the longest time of a statement is deleted', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const timeoutMs = 60_000
  const { write, read, opened, readUntil, tempDir } = await setUp({ timeoutMs })
  const keys = await write(0, 8)
  await readUntil(keys, 1)
  vi.advanceTimersByTime(2 * timeoutMs - 1)
  await read(keys)
  expect(opened()).toEqual(await joinedIn(tempDir))
  // The last scan was a moment ago.
  vi.advanceTimersByTime(timeoutMs)
  expect(await joinedIn(tempDir)).toHaveLength(1)
  vi.advanceTimersByTime(2 * timeoutMs)
  await eventually(async () => expect(await joinedIn(tempDir)).toEqual([]))
  expect(await read(keys)).toEqual(rowsOf(keys))
})

async function joinedIn(tempDir: string): Promise<string[]> {
  const names = await readdir(tempDir, { recursive: true })
  return names.filter(name => /joined.*\.parquet$/.test(name)).map(name => join(tempDir, name))
}
