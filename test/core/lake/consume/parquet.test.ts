import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { encodeHot } from '#core/lake/consume/parquet'
import { shortKey, toHotRows } from '#core/lake/consume/rows'
import { tables } from '#schemas/columns'
import { eventsRecord } from '#test/support/events-record'

const NOW = Date.UTC(2026, 10, 21, 12)

async function read(bytes: Uint8Array) {
  return parquetReadObjects({ file: bytes.slice().buffer })
}

function rowsOf(changes: Parameters<typeof eventsRecord>[2], names = ['signup']) {
  const record = eventsRecord(names, NOW, changes, 7)
  if (record.kind !== 'events') throw new Error('not events')
  return toHotRows(record)
}

test('a hot file has every column with its value', async () => {
  const [row] = await read(
    encodeHot(
      rowsOf({
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
})

test('timestamps are in milliseconds and not UTC-adjusted, as Athena needs them', () => {
  const { schema } = parquetMetadata(encodeHot(rowsOf({})).buffer as ArrayBuffer)
  expect(schema.find(element => element.name === 'timestamp')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
  })
  expect(schema.slice(1).map(element => element.name)).toEqual(
    tables.events_hot.columns.map(column => column.name),
  )
})

test('a hot file without rows can be read', async () => {
  expect(await read(encodeHot([]))).toEqual([])
})

test('rows are sorted by bucket, project and time, and the same rows give the same bytes in any order', async () => {
  const rows = [...rowsOf({ timestamp: NOW }, ['late']), ...rowsOf({ timestamp: NOW - 5 }, ['early'])]
  expect((await read(encodeHot(rows))).map(row => row.event)).toEqual(['early', 'late'])
  expect(Buffer.compare(encodeHot(rows), encodeHot(rows.toReversed()))).toBe(0)
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
