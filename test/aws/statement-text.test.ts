import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { byAddress, byName, withoutHotFiles } from '#aws/file-condition'
import { statementText } from '#aws/statement-text'
import { join, sql } from '#core/sql/sql'
import { inFiles } from '#test/support/in-files'

const LAKE = 's3://lake'
const MAX = 262_144

function hotFiles(count: number): string[] {
  const sequence = '4'.repeat(56)
  return Array.from(
    { length: count },
    (_, i) => `hot/epoch=3/shardId-000-${i}${sequence}-${sequence}.parquet`,
  )
}

function segmentFiles(count: number, bucket = 7): string[] {
  return Array.from({ length: count }, (_, i) => `segments/events/bucket=${bucket}/${i}-${i + 1}-0-0.parquet`)
}

/** A statement with conditions on hot files and on files of segments, each so often. */
function statementOf(hot: number, segments: number, times = 1) {
  const condition = sql`${inFiles('events_hot', hotFiles(hot))} AND ${inFiles('segment_events', segmentFiles(segments))}`
  return sql`SELECT 1 WHERE ${join(Array(times).fill(condition), ' AND ')}`
}

test('a statement names its files by their addresses while the text is short enough', () => {
  const text = statementText(statementOf(100, 100), LAKE)
  expect(text).toContain(`'s3://lake/${hotFiles(1)[0]}'`)
  expect(text).toContain(`'s3://lake/${segmentFiles(100)[99]}'`)
})

test('a longer statement leaves out the hot files first, because the epochs choose them too', () => {
  const text = statementText(statementOf(600, 100, 3), LAKE)
  expect(text).not.toContain('shardId')
  expect(text).toContain(`'s3://lake/${segmentFiles(100)[99]}'`)
})

test('an even longer statement names files of segments by their names within the folder', () => {
  const text = statementText(statementOf(10, 5_000), LAKE)
  expect(Buffer.byteLength(text)).toBeLessThan(MAX)
  const condition = `replace(substr("$path", 36), '.parquet', '') IN ('0-1-0-0', '1-2-0-0', `
  expect(text.startsWith(`SELECT 1 WHERE true AND ${condition}`)).toBe(true)
  // SQL counts from 1.
  expect(`s3://lake/${segmentFiles(1)[0]}`.slice(36 - 1)).toBe('0-1-0-0.parquet')
})

test.each([
  ['by address', byAddress],
  ['without hot files', withoutHotFiles],
  ['by name', byName],
])('the condition on files of segments has exactly their rows: %s', async (_, form) => {
  const others = ['segments/events/bucket=7/10-1-0-0.parquet', 'segments/events/bucket=7/0-1-0-00.parquet']
  const addresses = [...segmentFiles(3), ...others].map(key => `'${LAKE}/${key}'`)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT "$path" FROM (SELECT unnest([${addresses.join(', ')}]) AS "$path") WHERE ${form(segmentFiles(2), LAKE)} ORDER BY 1`,
  )
  instance.closeSync()
  expect(reader.getRows().flat()).toEqual(segmentFiles(2).map(key => `${LAKE}/${key}`))
  expect(form([], LAKE)).toBe('false')
})

describe('a statement that no form makes short enough is refused with what to ask instead', () => {
  test('a shorter period, when its files are too many', () => {
    expect(() => statementText(statementOf(10, 20_000), LAKE)).toThrow('Ask for a shorter period.')
  })

  test('shorter values, when those of the request are too long', () => {
    const query = sql`SELECT 1 WHERE event = ${'x'.repeat(MAX)} AND ${inFiles('events_hot', hotFiles(1))}`
    expect(() => statementText(query, LAKE)).toThrow(
      expect.objectContaining({ code: 'QUERY_FAILED', message: expect.stringContaining('shorter values') }),
    )
  })
})
