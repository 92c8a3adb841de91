import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import {
  type EventsRecord,
  isEmptyEvent,
  packRecord,
  unpackRecord,
  unpackUnparsed,
} from '#core/ingest/record'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { createHotColumns, hotColumnsOf, type UnparsedEvents } from '#core/lake/consume/hot-columns'
import { shortKey } from '#core/lake/consume/id-keys'
import { namesOf, readRawEvents } from '#core/lake/consume/raw-events'
import { timesOf } from '#core/usage/event-times'
import { propertyColumns, tables } from '#schemas/columns'
import { propertySettings, repeats, seed } from '#test/support/depth'
import { eventsRecord } from '#test/support/events-record'
import { rowsOfColumns, toHotRows } from '#test/support/hot-rows'

const NOW = Date.UTC(2026, 10, 21, 12)

async function read(bytes: Uint8Array) {
  return parquetReadObjects({ file: bytes.slice().buffer, compressors })
}

function recordOf(changes: Parameters<typeof eventsRecord>[2], names = ['signup']): EventsRecord {
  return eventsRecord(names, NOW, changes, 7) as EventsRecord
}

const hotFile = (...records: EventsRecord[]) => encodeHot(hotColumnsOf(records))
const rowsOf = (changes: Parameters<typeof eventsRecord>[2]) => toHotRows(recordOf(changes))

test('a hot file has every column with its value', async () => {
  const [row] = await read(
    hotFile(
      recordOf({
        user_id: 'u',
        session_id: 's',
        timestamp: NOW - 1_500,
        event_id: 'id-1',
        properties: { path: '/a', session_count: 3, plan: 'pro' },
      }),
    ),
  )
  const parquetKey = (text: string) => BigInt(shortKey(text) ?? -1)
  expect(row).toMatchObject({
    bucket: 1n,
    project_id: 'proj_1',
    timestamp: new Date(NOW - 1_500),
    lag_s: 2n,
    seq: 7n,
    event: 'signup',
    user_id: 'u',
    session_id: 's',
    country: 'DE',
    event_id: 'id-1',
    path: '/a',
    title: null,
    session_count: 3n,
    properties: '{"plan":"pro"}',
    user_key: parquetKey('u'),
    session_key: parquetKey('s'),
  })
  const properties: readonly string[] = propertyColumns.map(({ name }) => name)
  const empty = tables.events_hot.columns.filter(
    ({ name }) => row?.[name] === null && !properties.includes(name),
  )
  expect(empty).toEqual([])
})

test.each([
  ['few', {}],
  ['many', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key_${i}`, i]))],
])('the deepest properties that fit into 8 KB reach the file, beside %s others', async (_, others) => {
  const deep: unknown = JSON.parse('['.repeat(4_090) + ']'.repeat(4_090))
  const record = recordOf({ properties: { path: '/a', deep, ...others } })
  const unparsed = unpackUnparsed(packRecord(record))
  const columns = createHotColumns()
  columns.addUnparsed(unparsed as UnparsedEvents)
  const [row] = await read(encodeHot(columns))
  expect(row?.path).toBe('/a')
  expect(row?.properties === JSON.stringify({ deep, ...others })).toBe(true)
})

test('timestamps are in milliseconds and not UTC-adjusted, as Athena needs them', () => {
  const { schema } = parquetMetadata(hotFile(recordOf({})).slice().buffer as ArrayBuffer)
  expect(schema.find(element => element.name === 'timestamp')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
  })
  expect(schema.slice(1).map(element => element.name)).toEqual(
    tables.events_hot.columns.map(column => column.name),
  )
})

test('a hot file without rows can be read', async () => {
  expect(await read(hotFile())).toEqual([])
})

test('rows are sorted by bucket, project and time, and the same rows give the same bytes in any order', async () => {
  const records = [recordOf({ timestamp: NOW }, ['late']), recordOf({ timestamp: NOW - 5 }, ['early'])]
  expect((await read(hotFile(...records))).map(row => row.event)).toEqual(['early', 'late'])
  expect(Buffer.compare(hotFile(...records), hotFile(...records.toReversed()))).toBe(0)
})

test('hyparquet and DuckDB read back what random records hold', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-hot-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const random = createRandom(seed).next
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  for (let round = 0; round < repeats(4, { countPerDepth: 12 }); round++) {
    const distinct = pick([1, 3, 40, 100_000])
    const text = () => pick(['', 'ä\u{1f600}', `t-${Math.floor(random() * distinct)}`, 'x'.repeat(300)])
    const records = Array.from({ length: pick([1, 2, 30]) }, (_, i) => ({
      ...recordOf({}),
      project_id: `proj_${pick([1, 2])}`,
      bucket: 1,
      seq: i * 1_000,
      country: pick([null, 'DE', 'FR']),
      events: Array.from({ length: pick([1, 9, 100]) }, () => ({
        event: text(),
        user_id: pick([null, text()]),
        session_id: pick([null, text()]),
        timestamp: NOW - Math.floor(random() * 10_000),
        event_id: pick([null, `id-${Math.floor(random() * distinct)}`]),
        properties: pick([
          null,
          {},
          { path: text(), session_count: Math.floor(random() * distinct), plan: text() },
          { path: 5, session_count: 1.5, title: text() },
        ]),
      })),
    }))
    const expected = records.flatMap(toHotRows).map(writtenRow).toSorted()
    const bytes = hotFile(...records)
    expect((await read(bytes)).map(writtenRow).toSorted()).toEqual(expected)
    const path = join(folder, 'hot.parquet')
    writeFileSync(path, bytes)
    const reader = await connection.runAndReadAll(
      `SELECT * REPLACE (epoch_ms(timestamp) AS timestamp) FROM '${path}'`,
    )
    expect(
      reader
        .getRowObjects()
        .map(row => writtenRow(row))
        .toSorted(),
    ).toEqual(expected)
  }
})

/** A row as text, whatever types a reader gives to numbers and times. */
function writtenRow(row: Record<string, unknown>): string {
  const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value)
  return tables.events_hot.columns.map(({ name }) => `${name}=${plain(row[name])}`).join(' ')
}

test('of a record that cannot be read no event is stored', () => {
  const columns = hotColumnsOf([recordOf({})])
  const broken = recordOf({ user_id: 'new', properties: { path: '/new' } }, ['a', 'b'])
  Object.assign(broken.events[1] as object, { user_id: 5 })
  expect(() => columns.add(broken)).toThrow('not a text')
  columns.add(recordOf({}, ['c']))
  expect(rowsOfColumns(columns)).toEqual([toHotRows(recordOf({}))[0], toHotRows(recordOf({}, ['c']))[0]])
})

test('wide events that are read as text give the rows of parsed ones', () => {
  const filler = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key-${i}`, i]))
  const json = fc.jsonValue()
  const named = fc.record(
    {
      path: json,
      title: fc.string({ unit: 'binary' }),
      session_count: fc.oneof(fc.integer(), fc.double(), json),
      days_since_first_visit: fc.maxSafeInteger(),
      __proto__: json,
      'a"b\\': json,
    },
    { requiredKeys: [] },
  )
  const properties = fc.oneof(
    fc.constant(null),
    fc
      .tuple(named, fc.dictionary(fc.string({ unit: 'binary' }), json), fc.boolean())
      .map(([known, other, isFirst]) =>
        isFirst ? { ...known, ...filler, ...other } : { ...other, ...filler, ...known },
      ),
  )
  const events = fc.array(fc.tuple(fc.string({ unit: 'binary' }), properties, fc.option(fc.string())), {
    minLength: 1,
    maxLength: 4,
  })
  const isSame = (given: [string, object | null, string | null][]) => {
    const [base] = recordOf({}).events as [EventsRecord['events'][number]]
    const written = given.map(([event, properties, user_id]) => ({
      ...base,
      ...{ event: event.toWellFormed(), user_id, properties: properties as Record<string, unknown> | null },
    }))
    const bytes = packRecord({ ...recordOf({}), events: written })
    const parsed = unpackRecord(bytes) as EventsRecord
    const columns = createHotColumns()
    expect(columns.addUnparsed(unpackUnparsed(bytes) as UnparsedEvents)).toEqual({
      events: given.length,
      times: timesOf(parsed.events.filter(event => !isEmptyEvent(event))),
      hasEventIds: false,
    })
    expect(rowsOfColumns(columns)).toEqual(toHotRows(parsed))
  }
  fc.assert(fc.property(events, isSame), propertySettings(200))
})

test('only wide events of the form that ingestion writes are read as text', () => {
  const wide = { event: 'a', properties: { long: 'x'.repeat(3_000) }, user_id: null, timestamp: 1 }
  const columns = { names: namesOf(['path']), valueFor: (_: string, json: string) => json }
  const read = (json: string) => readRawEvents(Buffer.from(json), columns)
  const text = JSON.stringify([wide, wide])
  expect(read(text)).toEqual(
    [1, 2].map(() => ({
      event: { ...wide, properties: null },
      columns: [],
      propertiesJson: Buffer.from(JSON.stringify(wide.properties)),
    })),
  )
  const withColumn = { ...wide, properties: { ...wide.properties, path: '/a' } }
  expect(read(JSON.stringify([withColumn]))).toMatchObject([
    { columns: [['path', '"/a"']], propertiesJson: Buffer.from(JSON.stringify(wide.properties)) },
  ])
  expect(read(JSON.stringify([{ ...wide, properties: {} }]))).toBeNull()
  expect(read(JSON.stringify([wide, { event: '' }]))).toBeNull()
  expect(read(JSON.stringify([{ timestamp_first: 1, ...wide }]))).toBeNull()
  expect(read('[]')).toBeNull()
  expect(() => read(text.slice(0, 1_000))).toThrow(SyntaxError)
})

test.each([
  { value: 5, kind: 'a number with the name of a text column' },
  { value: null, kind: 'a null' },
  { value: ['/a'], kind: 'a list' },
])('$kind stays in the JSON, so that a read returns it unchanged', ({ value }) => {
  expect(rowsOf({ properties: { path: value } })[0]).toMatchObject({
    path: null,
    properties: JSON.stringify({ path: value }),
  })
})

test.each([1.5, 2 ** 60, '3', -0])(
  'a session_count of %s stays in the JSON, because the column holds only whole numbers',
  value => {
    expect(rowsOf({ properties: { session_count: value } })[0]).toMatchObject({
      session_count: null,
      properties: JSON.stringify({ session_count: value }),
    })
  },
)

test('`properties` is null without properties, and {} if all properties have columns', () => {
  expect(rowsOf({ properties: null })[0]?.properties).toBeNull()
  expect(rowsOf({ properties: { path: '/a' } })[0]?.properties).toBe('{}')
})

test('a property with the name __proto__ is stored like any other', () => {
  expect(rowsOf({ properties: JSON.parse('{"__proto__":{"a":1}}') })[0]?.properties).toBe(
    '{"__proto__":{"a":1}}',
  )
})

test('a key is the first 53 bits of the SHA-256, in big-endian order', () => {
  expect(shortKey('')).toBe(Number(0xe3b0c44298fc1c14n >> 11n))
  expect(shortKey(null)).toBeNull()
})
