import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, onTestFinished, test } from 'vitest'
import { hotKey, warmKey } from '#core/lake/keys'
import { encodeHot } from '#core/lake/parquet'
import { shortKey, toHotRows } from '#core/lake/rows'
import { type CompactorSettings, createCompactor } from '#duckdb/compactor'
import { DamagedObject } from '#duckdb/damaged'
import { createFolderLake } from '#local/lake/folder'
import { tables } from '#schemas/columns'
import type { EventsRecord } from '#test/support/build-lake'

const HOUR = 3_600_000
const START = Date.parse('2026-11-18T22:00:00Z')

async function setUp(settings: Partial<CompactorSettings> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-compactor-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const lake = createFolderLake(join(dir, 'lake'))
  const tempDir = join(dir, 'temp')
  const logged: string[] = []
  const compactor = createCompactor({
    lake,
    tempDir,
    log: code => logged.push(code),
    threads: 1,
    ...settings,
  })

  /** Writes a hot file and returns its key. */
  async function hot(epoch: number, ...records: EventsRecord[]): Promise<string> {
    const count = (await lake.list(`hot/epoch=${epoch}/`)).length
    const key = hotKey('0', { first: String(count), last: String(count), epoch })
    await lake.put(key, encodeHot(records.flatMap(record => toHotRows(record))))
    return key
  }
  async function read(key: string): Promise<Record<string, unknown>[]> {
    const bytes = await lake.get(key)
    if (bytes === null) throw new Error(`${key} does not exist`)
    return parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
  }
  const keys = async (prefix = '') => (await lake.list(prefix)).map(object => object.key)
  return { lake, tempDir, compactor, logged, hot, read, keys }
}

let seq = 0

/** The key of a user or session as a Parquet reader returns it. */
const parquetKey = (text: string) => BigInt(shortKey(text) ?? -1)

/** A request with one event, or with several. */
function request(options: {
  project?: string
  bucket?: number
  at?: number
  events?: Partial<EventsRecord['events'][number]>[]
}): EventsRecord {
  const { project = 'proj_1', bucket = 7, at = START, events = [{}] } = options
  seq += 100
  return {
    kind: 'events',
    project_id: project,
    account_id: 'acc_1',
    bucket,
    received_at: at,
    seq,
    country: 'DE',
    events: events.map(event => ({
      event: 'page_view',
      properties: null,
      user_id: 'u1',
      session_id: 's1',
      timestamp: at,
      event_id: null,
      ...event,
    })),
  }
}

/** The one part of a compaction that is not split. */
const onlyPart = { part: 0, parts: 1 }

test('warm compaction writes one file per bucket, with all events of the hot files', async () => {
  const { compactor, hot, read, keys } = await setUp()
  const files = [
    await hot(1, request({ bucket: 3, project: 'proj_3' }), request({ events: [{}, { event: 'signup' }] })),
    await hot(1, request({ bucket: 9, project: 'proj_9' })),
  ]
  expect(await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })).toEqual([])
  expect(await keys('warm/')).toEqual([3, 7, 9].map(bucket => warmKey(1, bucket)).sort())
  const rows = await read(warmKey(1, 7))
  expect(rows.map(row => row.event)).toEqual(['page_view', 'signup'])
})

test('the parts of a split compaction together write the files of an unsplit one', async () => {
  const { compactor, hot, keys } = await setUp()
  const files = [
    await hot(1, ...[0, 1, 2, 3, 4].map(bucket => request({ bucket, project: `proj_${bucket}` }))),
  ]
  for (const part of [0, 1, 2])
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], part, parts: 3 })
  expect(await keys('warm/')).toEqual([0, 1, 2, 3, 4].map(bucket => warmKey(1, bucket)))
})

test('warm compaction keeps the first copy of an event to arrive, and counts the others by day of arrival', async () => {
  const { compactor, hot, read } = await setUp()
  const copy = (at: number, event: string) => request({ at, events: [{ event_id: 'e', event }] })
  const files = [
    await hot(1, copy(START + 3 * HOUR, 'third'), copy(START + HOUR, 'second')),
    await hot(1, copy(START, 'first'), request({ project: 'proj_2', events: [{ event_id: 'e' }] })),
  ]
  expect(await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })).toEqual([
    { project_id: 'proj_1', day: '2026-11-18', events: 1 },
    { project_id: 'proj_1', day: '2026-11-19', events: 1 },
  ])
  expect((await read(warmKey(1, 7))).map(row => [row.project_id, row.event])).toEqual([
    ['proj_1', 'first'],
    ['proj_2', 'page_view'],
  ])
})

test('an event with the event_id of a warm event is dropped within 24 hours and stored after them', async () => {
  const { compactor, hot, keys } = await setUp()
  const copy = (at: number) => request({ at, events: [{ event_id: 'e' }] })
  const first = await hot(1, copy(START))
  await compactor.compactEpoch({ epoch: 1, hot: [first], lookback: [], ...onlyPart })
  const lookback = [warmKey(1, 7)]
  const within = await hot(2, copy(START + 24 * HOUR))
  expect(await compactor.compactEpoch({ epoch: 2, hot: [within], lookback, ...onlyPart })).toHaveLength(1)
  expect(await keys('warm/epoch=2/')).toEqual([])
  const after = await hot(3, copy(START + 24 * HOUR + 1_000))
  expect(await compactor.compactEpoch({ epoch: 3, hot: [after], lookback, ...onlyPart })).toEqual([])
  expect(await keys('warm/epoch=3/')).toEqual([warmKey(3, 7)])
})

test('a job that runs twice writes the same rows', async () => {
  const { compactor, hot, read } = await setUp()
  const events = Array.from({ length: 100 }, (_, i) => ({
    session_id: `s${i % 7}`,
    timestamp: START - (i % 5),
  }))
  const files = [await hot(1, request({ events })), await hot(1, request({ events }))]
  const runJob = async () => {
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })
    return read(warmKey(1, 7))
  }
  const first = await runJob()
  expect(first).toHaveLength(200)
  expect(await runJob()).toEqual(first)
})

test('the rows of a session are stored together, and sessions in the order in which they started', async () => {
  const { compactor, hot, read } = await setUp()
  const event = (session_id: string | null, after: number) => ({ session_id, timestamp: START + after })
  const files = [
    await hot(
      1,
      request({ events: [event('a', 0), event('b', 1), event('a', 2), event(null, 3), event('b', 9)] }),
    ),
  ]
  await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })
  expect((await read(warmKey(1, 7))).map(row => row.session_id ?? null)).toEqual(['a', 'a', 'b', 'b', null])
})

test('events that are too wide for the memory are written in the same order, but in smaller row groups', async () => {
  const withLittleMemory = await setUp({ memoryMb: 64 })
  const withEnoughMemory = await setUp()
  const outputs = []
  for (const { compactor, hot, lake, read } of [withLittleMemory, withEnoughMemory]) {
    seq = 0
    const files = []
    for (let file = 0; file < 16; file++) {
      const events = Array.from({ length: 1_000 }, (_, i) => ({
        session_id: `s${(file * i) % 997}`,
        timestamp: START - ((file + i * 7_919) % 100_000),
        properties: { text: `${i} `.repeat(1_200) },
      }))
      files.push(await hot(1, request({ events, project: `proj_${file % 3}` })))
    }
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })
    const bytes = (await lake.get(warmKey(1, 7))) ?? new Uint8Array()
    const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer)
    outputs.push({ rows: await read(warmKey(1, 7)), groups: row_groups.length })
  }
  expect(outputs[0]?.groups).toBeGreaterThan(4)
  expect(outputs[1]?.groups).toBe(1)
  expect(outputs[0]?.rows).toHaveLength(16_000)
  expect(outputs[0]?.rows).toEqual(outputs[1]?.rows)
})

test('cold compaction stores events by their date, with a session row per session and date and an activity row per user', async () => {
  const { compactor, hot, read, keys } = await setUp()
  const late = START - 3 * 24 * HOUR
  const events = [
    { timestamp: START, event: 'page_view', user_id: null },
    { timestamp: START + HOUR, event: 'signup', user_id: 'u1' },
    { timestamp: START + HOUR, event: 'page_view', user_id: 'u2' },
    { timestamp: START + HOUR + 1, event: 'page_view', user_id: null },
    { timestamp: START + 3 * HOUR, session_id: null },
    { timestamp: late },
  ]
  await compactor.compactEpoch({
    epoch: 4,
    hot: [await hot(4, request({ events, at: START + 3 * HOUR }))],
    lookback: [],
    ...onlyPart,
  })
  await compactor.compactToCold({ from: 3, until: 6, bucket: 7, warm: [warmKey(4, 7)] })
  const dates = ['2026-11-15', '2026-11-18', '2026-11-19']
  expect(await keys('cold/')).toEqual(dates.map(date => `cold/date=${date}/bucket=7/3-6.parquet`))
  const cold = await read('cold/date=2026-11-18/bucket=7/3-6.parquet')
  expect(cold.map(row => [row.epoch, row.event, row.user_id])).toEqual([
    [4n, 'page_view', null],
    [4n, 'signup', 'u1'],
    [4n, 'page_view', 'u2'],
    [4n, 'page_view', null],
  ])
  const sessions = await read('sessions/date=2026-11-18/bucket=7/3-6.parquet')
  expect(sessions).toEqual([
    {
      epoch: 3n,
      project_id: 'proj_1',
      session_key: parquetKey('s1'),
      user_key: parquetKey('u2'),
      user_at: new Date(START + HOUR),
      user_lag_s: 7_200n,
      start_at: new Date(START),
      end_at: new Date(START + HOUR + 1),
      event_count: 4n,
      interactive_count: 1n,
    },
  ])
  // An event of the session on another date makes a session row of that date. Events without a session make none.
  expect(await read('sessions/date=2026-11-15/bucket=7/3-6.parquet')).toMatchObject([{ event_count: 1n }])
  expect(await read('sessions/date=2026-11-19/bucket=7/3-6.parquet')).toEqual([])
  const activity = await read('activity/date=2026-11-18/bucket=7/3-6.parquet')
  const userRows = [
    { user_key: parquetKey('u1'), event: 'signup', country: 'DE', event_count: 1n },
    { user_key: parquetKey('u2'), event: 'page_view', country: 'DE', event_count: 1n },
  ].toSorted((a, b) => (a.user_key < b.user_key ? -1 : 1))
  expect(activity).toMatchObject([...userRows, { user_key: null, event: 'page_view', event_count: 2n }])
})

test('compacted files have the columns of schemas/columns.ts, with timestamps in milliseconds that are not UTC-adjusted', async () => {
  const { compactor, hot, lake } = await setUp()
  await compactor.compactEpoch({ epoch: 1, hot: [await hot(1, request({}))], lookback: [], ...onlyPart })
  await compactor.compactToCold({ from: 1, until: 2, bucket: 7, warm: [warmKey(1, 7)] })
  for (const table of ['events_warm', 'events_cold', 'sessions_cold', 'activity_cold'] as const) {
    const [object] = await lake.list(`${tables[table].prefix}/`)
    const bytes = await lake.get(object?.key ?? '')
    const { schema } = parquetMetadata(new Uint8Array(bytes as Uint8Array).buffer)
    expect(schema.slice(1).map(column => column.name)).toEqual(
      tables[table].columns.map(column => column.name),
    )
    for (const column of schema.filter(
      column => column.name === 'timestamp' || column.name.endsWith('_at'),
    )) {
      expect(column).toMatchObject({ logical_type: { isAdjustedToUTC: false, unit: 'MILLIS' } })
    }
  }
})

test.each([
  ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20)],
  ['empty', () => new Uint8Array()],
])(
  'a hot file that is %s stops the compaction with an error that names it, and nothing is written',
  async (_, damage) => {
    const { compactor, hot, lake, logged, keys, tempDir } = await setUp()
    const files = [await hot(1, request({})), await hot(1, request({}))]
    const [, second = ''] = files
    await lake.put(second, damage((await lake.get(second)) as Uint8Array))
    const compaction = compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...onlyPart })
    await expect(compaction).rejects.toThrow(DamagedObject)
    await expect(compaction).rejects.toMatchObject({ key: second })
    expect(logged).toContain('LAKE_OBJECT_DAMAGED')
    expect(await keys('warm/')).toEqual([])
    expect(await readdir(tempDir)).toEqual([])
  },
)

test('a missing warm file stops the compaction with an error that names it', async () => {
  const { compactor } = await setUp()
  await expect(
    compactor.compactToCold({ from: 1, until: 2, bucket: 7, warm: [warmKey(1, 7)] }),
  ).rejects.toMatchObject({
    key: warmKey(1, 7),
  })
})

test('an epoch without hot files writes nothing', async () => {
  const { compactor, keys } = await setUp()
  expect(await compactor.compactEpoch({ epoch: 1, hot: [], lookback: [], ...onlyPart })).toEqual([])
  await compactor.compactToCold({ from: 1, until: 2, bucket: 7, warm: [] })
  expect(await keys()).toEqual([])
})
