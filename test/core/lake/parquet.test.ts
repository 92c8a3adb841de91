import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { encodeHot } from '#core/lake/parquet'
import { shortKey, toHotRows } from '#core/lake/rows'
import { tables } from '#schemas/columns'
import { eventsRecord } from '#test/support/lake-world'

const NOW = Date.UTC(2026, 10, 21, 12)

async function read(bytes: Uint8Array) {
  return parquetReadObjects({ file: bytes.slice().buffer })
}

function rowsOf(changes: Parameters<typeof eventsRecord>[2], names = ['signup']) {
  const record = eventsRecord(names, NOW, changes)
  if (record.kind !== 'events') throw new Error('not events')
  return toHotRows(record)
}

test('another reader finds every column with its value', async () => {
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
  const keyOf = (text: string) => BigInt(shortKey(text) ?? -1)
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
    user_key: keyOf('u'),
    session_key: keyOf('s'),
  })
})

test('the timestamp is in milliseconds and not UTC-adjusted, as Athena wants it', () => {
  const { schema } = parquetMetadata(encodeHot(rowsOf({})).buffer as ArrayBuffer)
  expect(schema.find(element => element.name === 'timestamp')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
  })
  expect(schema.slice(1).map(element => element.name)).toEqual(
    tables.events_hot.columns.map(column => column.name),
  )
})

test('a file without rows has the schema and can be read', async () => {
  expect(await read(encodeHot([]))).toEqual([])
})

test('rows lie by bucket, project and time whatever order they came in, and the same rows give the same bytes', async () => {
  const rows = [...rowsOf({ timestamp: NOW }, ['late']), ...rowsOf({ timestamp: NOW - 5 }, ['early'])]
  expect((await read(encodeHot(rows))).map(row => row.event)).toEqual(['early', 'late'])
  expect(Buffer.compare(encodeHot(rows), encodeHot(rows.toReversed()))).toBe(0)
})

test.each([
  { value: 5, why: 'a number under the name of a text column' },
  { value: null, why: 'a null' },
  { value: ['/a'], why: 'a list' },
])('$why stays in the JSON, so that it comes back as it was', ({ value }) => {
  expect(rowsOf({ properties: { path: value } })[0]).toMatchObject({
    path: null,
    properties: JSON.stringify({ path: value }),
  })
})

test.each([1.5, 2 ** 60, '3', -0])(
  'a count of %s stays in the JSON: the column holds whole numbers only',
  value => {
    expect(rowsOf({ properties: { session_count: value } })[0]).toMatchObject({
      session_count: null,
      properties: JSON.stringify({ session_count: value }),
    })
  },
)

test('no properties at all, and none that are left, are told apart', () => {
  expect(rowsOf({ properties: null })[0]?.properties).toBeNull()
  expect(rowsOf({ properties: { path: '/a' } })[0]?.properties).toBe('{}')
})

test('a property called __proto__ is a property like another', () => {
  expect(rowsOf({ properties: JSON.parse('{"__proto__":{"a":1}}') })[0]?.properties).toBe(
    '{"__proto__":{"a":1}}',
  )
})

test('a key is the first 53 bits of the SHA-256, big-endian', () => {
  expect(shortKey('')).toBe(Number(0xe3b0c44298fc1c14n >> 11n))
  expect(shortKey(null)).toBeNull()
})
