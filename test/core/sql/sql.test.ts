import { expect, test } from 'vitest'
import { bigint, date, integer, join, name, sql, timestamp } from '#core/sql/sql'
import { inFiles } from '#test/support/in-files'

test('every value becomes a parameter, in order', () => {
  const query = sql`SELECT ${1} AS a, ${"'; DROP"} AS b, ${null} AS c`
  expect(query).toEqual({ text: 'SELECT ? AS a, ? AS b, ? AS c', params: [1, "'; DROP", null] })
})

test('a nested piece brings its text, its parameters and its scans', () => {
  const files = ['hot/epoch=1/0-1-1.parquet']
  const piece = sql`FROM events_hot WHERE ${inFiles('events_hot', files)} AND event = ${'b'}`
  const both = join([piece, sql`${'c'}`], ' AND ')
  expect(sql`SELECT ${'a'} ${both} LIMIT ${integer(3)}`).toEqual({
    text: 'SELECT ? FROM events_hot WHERE ? AND event = ? AND ? LIMIT 3',
    params: ['a', { files }, 'b', 'c'],
    scans: [{ table: 'events_hot', files }],
  })
})

test('a condition on files can say that only rows of one bucket are used', () => {
  const files = ['hot/epoch=1/0-1-1.parquet']
  expect(inFiles('events_hot', files, 7)).toEqual({
    text: '?',
    params: [{ files }],
    scans: [{ table: 'events_hot', files, bucket: 7 }],
  })
})

test('names, whole numbers, dates and timestamps become text', () => {
  expect(name('user_id').text).toBe('user_id')
  expect(integer(-7).text).toBe('-7')
  expect(bigint('9223372036854775807').text).toBe('9223372036854775807')
  expect(date('2026-11-01').text).toBe("DATE '2026-11-01'")
  expect(timestamp(Date.parse('2026-11-01T02:03:04.005Z')).text).toBe("TIMESTAMP '2026-11-01 02:03:04.005'")
})

test.each([
  // @ts-expect-error: a name that schemas/columns.ts does not have does not compile.
  ['a name with a quote', () => name('a"b')],
  // @ts-expect-error
  ['a name in capitals', () => name('Event')],
  ['a fraction', () => integer(1.5)],
  ['a number beyond 53 bits', () => integer(2 ** 53)],
  ['a text that is not a bigint', () => bigint('1 OR 1=1')],
  ['a text that is not a date', () => date("2026-11-01' OR '1'='1")],
  ['a time before the year 0', () => timestamp(-1e14)],
  ['a time after the year 9999', () => timestamp(1e15)],
])('%s throws', (_, make) => {
  expect(make).toThrow()
})
