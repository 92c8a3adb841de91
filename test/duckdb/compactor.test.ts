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
import type { EventsRecord } from '#test/support/lake-builder'

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

  async function hot(epoch: number, ...records: EventsRecord[]): Promise<string> {
    const count = (await lake.list(`hot/epoch=${epoch}/`)).length
    const key = hotKey('0', { first: String(count), last: String(count), epoch })
    await lake.put(key, encodeHot(records.flatMap(record => toHotRows(record))))
    return key
  }
  async function read(key: string): Promise<Record<string, unknown>[]> {
    const bytes = await lake.get(key)
    if (bytes === null) throw new Error(`${key} is not there`)
    return parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
  }
  const keys = async (prefix = '') => (await lake.list(prefix)).map(object => object.key)
  return { lake, tempDir, compactor, logged, hot, read, keys }
}

let seq = 0

/** A key as Parquet has it. */
const keyOf = (text: string) => BigInt(shortKey(text) ?? -1)

/** A request of one event, or of several. */
function request(given: {
  project?: string
  bucket?: number
  at?: number
  events?: Partial<EventsRecord['events'][number]>[]
}): EventsRecord {
  const { project = 'proj_1', bucket = 7, at = START, events = [{}] } = given
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

const whole = { part: 0, parts: 1 }

test('compaction writes one file a bucket, with every event of the hot files', async () => {
  const { compactor, hot, read, keys } = await setUp()
  const files = [
    await hot(1, request({ bucket: 3, project: 'proj_3' }), request({ events: [{}, { event: 'signup' }] })),
    await hot(1, request({ bucket: 9, project: 'proj_9' })),
  ]
  expect(await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })).toEqual([])
  expect(await keys('warm/')).toEqual([3, 7, 9].map(bucket => warmKey(1, bucket)).sort())
  const rows = await read(warmKey(1, 7))
  expect(rows.map(row => row.event)).toEqual(['page_view', 'signup'])
})

test('the parts of a compaction write what one alone would have written', async () => {
  const { compactor, hot, keys } = await setUp()
  const files = [
    await hot(1, ...[0, 1, 2, 3, 4].map(bucket => request({ bucket, project: `proj_${bucket}` }))),
  ]
  for (const part of [0, 1, 2])
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], part, parts: 3 })
  expect(await keys('warm/')).toEqual([0, 1, 2, 3, 4].map(bucket => warmKey(1, bucket)))
})

test('of events with one event_id the first to arrive is kept, and the others are counted by day of arrival', async () => {
  const { compactor, hot, read } = await setUp()
  const again = (at: number, event: string) => request({ at, events: [{ event_id: 'e', event }] })
  const files = [
    await hot(1, again(START + 3 * HOUR, 'third'), again(START + HOUR, 'second')),
    await hot(1, again(START, 'first'), request({ project: 'proj_2', events: [{ event_id: 'e' }] })),
  ]
  expect(await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })).toEqual([
    { project_id: 'proj_1', day: '2026-11-18', events: 1 },
    { project_id: 'proj_1', day: '2026-11-19', events: 1 },
  ])
  expect((await read(warmKey(1, 7))).map(row => [row.project_id, row.event])).toEqual([
    ['proj_1', 'first'],
    ['proj_2', 'page_view'],
  ])
})

test('an event_id that is warm is not stored again within 24 hours, and is after them', async () => {
  const { compactor, hot, keys } = await setUp()
  const sent = (at: number) => request({ at, events: [{ event_id: 'e' }] })
  const first = await hot(1, sent(START))
  await compactor.compactEpoch({ epoch: 1, hot: [first], lookback: [], ...whole })
  const lookback = [warmKey(1, 7)]
  const within = await hot(2, sent(START + 24 * HOUR))
  expect(await compactor.compactEpoch({ epoch: 2, hot: [within], lookback, ...whole })).toHaveLength(1)
  expect(await keys('warm/epoch=2/')).toEqual([])
  const after = await hot(3, sent(START + 24 * HOUR + 1_000))
  expect(await compactor.compactEpoch({ epoch: 3, hot: [after], lookback, ...whole })).toEqual([])
  expect(await keys('warm/epoch=3/')).toEqual([warmKey(3, 7)])
})

test('the same job writes the same rows however often it runs', async () => {
  const { compactor, hot, read } = await setUp()
  const events = Array.from({ length: 100 }, (_, i) => ({
    session_id: `s${i % 7}`,
    timestamp: START - (i % 5),
  }))
  const files = [await hot(1, request({ events })), await hot(1, request({ events }))]
  const once = async () => {
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })
    return read(warmKey(1, 7))
  }
  const first = await once()
  expect(first).toHaveLength(200)
  expect(await once()).toEqual(first)
})

test('sessions lie together, in the order in which they began', async () => {
  const { compactor, hot, read } = await setUp()
  const of = (session_id: string | null, after: number) => ({ session_id, timestamp: START + after })
  const files = [
    await hot(1, request({ events: [of('a', 0), of('b', 1), of('a', 2), of(null, 3), of('b', 9)] })),
  ]
  await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })
  expect((await read(warmKey(1, 7))).map(row => row.session_id ?? null)).toEqual(['a', 'a', 'b', 'b', null])
})

test('events that are too wide for the memory are written in the same order, in smaller row groups', async () => {
  const wide = await setUp({ memoryMb: 64 })
  const roomy = await setUp()
  const made = []
  for (const { compactor, hot, lake, read } of [wide, roomy]) {
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
    await compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })
    const bytes = (await lake.get(warmKey(1, 7))) ?? new Uint8Array()
    const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer)
    made.push({ rows: await read(warmKey(1, 7)), groups: row_groups.length })
  }
  expect(made[0]?.groups).toBeGreaterThan(4)
  expect(made[1]?.groups).toBe(1)
  expect(made[0]?.rows).toHaveLength(16_000)
  expect(made[0]?.rows).toEqual(made[1]?.rows)
})

test('a roll files events by their own date and makes one visit a session and date, one activity row a visitor', async () => {
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
    ...whole,
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
      session_key: keyOf('s1'),
      user_key: keyOf('u2'),
      user_at: new Date(START + HOUR),
      user_lag_s: 7_200n,
      start_at: new Date(START),
      end_at: new Date(START + HOUR + 1),
      event_count: 4n,
      interactive_count: 1n,
    },
  ])
  // A session's event of another date is a visit of that date; events without a session are none.
  expect(await read('sessions/date=2026-11-15/bucket=7/3-6.parquet')).toMatchObject([{ event_count: 1n }])
  expect(await read('sessions/date=2026-11-19/bucket=7/3-6.parquet')).toEqual([])
  const activity = await read('activity/date=2026-11-18/bucket=7/3-6.parquet')
  const ofUsers = [
    { user_key: keyOf('u1'), event: 'signup', country: 'DE', event_count: 1n },
    { user_key: keyOf('u2'), event: 'page_view', country: 'DE', event_count: 1n },
  ].toSorted((a, b) => (a.user_key < b.user_key ? -1 : 1))
  expect(activity).toMatchObject([...ofUsers, { user_key: null, event: 'page_view', event_count: 2n }])
})

test('any reader finds the columns of schemas/columns.ts, timestamps in milliseconds and not UTC-adjusted', async () => {
  const { compactor, hot, lake } = await setUp()
  await compactor.compactEpoch({ epoch: 1, hot: [await hot(1, request({}))], lookback: [], ...whole })
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
])('a hot file that is %s stops the compaction and is named; nothing is written', async (_, damage) => {
  const { compactor, hot, lake, logged, keys, tempDir } = await setUp()
  const files = [await hot(1, request({})), await hot(1, request({}))]
  const [, second = ''] = files
  await lake.put(second, damage((await lake.get(second)) as Uint8Array))
  const failed = compactor.compactEpoch({ epoch: 1, hot: files, lookback: [], ...whole })
  await expect(failed).rejects.toThrow(DamagedObject)
  await expect(failed).rejects.toMatchObject({ key: second })
  expect(logged).toContain('LAKE_OBJECT_DAMAGED')
  expect(await keys('warm/')).toEqual([])
  expect(await readdir(tempDir)).toEqual([])
})

test('an object that is not there is named', async () => {
  const { compactor } = await setUp()
  await expect(
    compactor.compactToCold({ from: 1, until: 2, bucket: 7, warm: [warmKey(1, 7)] }),
  ).rejects.toMatchObject({
    key: warmKey(1, 7),
  })
})

test('an epoch without hot files writes nothing', async () => {
  const { compactor, keys } = await setUp()
  expect(await compactor.compactEpoch({ epoch: 1, hot: [], lookback: [], ...whole })).toEqual([])
  await compactor.compactToCold({ from: 1, until: 2, bucket: 7, warm: [] })
  expect(await keys()).toEqual([])
})
