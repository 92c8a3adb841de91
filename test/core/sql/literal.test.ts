import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { literal, renderSql } from '#core/sql/literal'
import { sql } from '#core/sql/sql'
import { propertySettings } from '#test/support/depth'
import { inFiles } from '#test/support/in-files'

/** For statements without a condition on files. */
const noFiles = () => 'false'

/** Text with many characters that break encoders. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '?', '-', '/', '*', ';', '\n', '\0', '\u{1F600}', 'é', '$', 'U&'),
  }),
  // With lone surrogates.
  fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units)),
)
const anyNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(-0),
)
const anyParam = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null))

/** Returns the value that an engine must read: whole numbers are bigints, lone surrogates U+FFFD. */
function engineValue(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0)) return BigInt(value)
  return value
}

describe('a real engine reads a literal as the same value of the same type', () => {
  let instance: DuckDBInstance
  let select: (text: string) => Promise<unknown[]>
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await connection.run('CREATE MACRO from_utf8(bytes) AS decode(bytes)')
    select = async text => (await connection.runAndReadAll(text)).getRows()[0] ?? []
  })
  afterAll(() => instance.closeSync())

  test('for any values in one statement', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyParam, { minLength: 1, maxLength: 20 }), async values => {
        const text = `SELECT ${values.map(() => '?').join(', ')}`
        const row = await select(renderSql({ text, params: values }, noFiles))
        expect(row).toStrictEqual(values.map(engineValue))
      }),
      propertySettings(150),
    ))

  test.each([
    [42, 'BIGINT'],
    [-7, 'BIGINT'],
    [0.1, 'DOUBLE'],
    [-0, 'DOUBLE'],
    [1e300, 'DOUBLE'],
    [5e-324, 'DOUBLE'],
    [2 ** 60, 'DOUBLE'],
    ['', 'VARCHAR'],
    ['a\0b', 'VARCHAR'],
    [true, 'BOOLEAN'],
  ])('%j is a %s', async (value, type) => {
    expect(await select(`SELECT ${literal(value)}, typeof(${literal(value)})`)).toStrictEqual([
      engineValue(value),
      type,
    ])
  })

  test('a negative number after a minus does not start a comment', async () => {
    expect(await select(renderSql(sql`SELECT 1 -${-2}`, noFiles))).toEqual([3n])
  })
})

test('a text becomes one quoted token without control characters and lone surrogates', () => {
  fc.assert(
    fc.property(anyText, value => {
      expect(literal(value).isWellFormed()).toBe(true)
      expect(literal(value)).toMatch(/^('([^'\p{Cc}]|'')*'|from_utf8\(from_hex\('[0-9A-F]+'\)\))$/u)
    }),
    propertySettings(100),
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  '%d throws, because it has no literal',
  value => {
    expect(() => literal(value)).toThrow('not a number')
  },
)

test('a value that contains ? or a quote stays a literal', () => {
  expect(renderSql(sql`SELECT ${'?'}, ${"'"}, ${'--'}`, noFiles)).toBe("SELECT '?', '''', '--'")
})

test.each([
  ['in quoted text', "SELECT 'a?' WHERE x = ?"],
  ['in a quoted name', 'SELECT "a?" WHERE x = ?'],
  ['in a comment of a line', 'SELECT 1 -- ?\n WHERE x = ?'],
  ['in a comment', 'SELECT 1 /* ? */ WHERE x = ?'],
  ['right after a quote', "SELECT 'a'?"],
  ['right before a quote', "SELECT ?'a'"],
  ['right after a word', 'SELECT x?'],
  ['in a quote without an end', "SELECT 'it''s ?"],
  ['in a comment without an end', 'SELECT 1 /* ?'],
])('a ? %s throws', (_, text) => {
  expect(() => renderSql({ text, params: ['v'] }, noFiles)).toThrow()
})

test('a quote or comment without an end throws', () => {
  expect(() => renderSql({ text: "SELECT 'it''s", params: [] }, noFiles)).toThrow('no end')
  expect(() => renderSql({ text: 'SELECT "a', params: [] }, noFiles)).toThrow('no end')
  expect(() => renderSql({ text: 'SELECT 1 /*', params: [] }, noFiles)).toThrow('no end')
  expect(() => renderSql({ text: 'SELECT 1 /*/', params: [] }, noFiles)).toThrow('no end')
})

test('quotes and comments without a ? do not change', () => {
  const text = "SELECT 'it''s', \"a\"\"b\" /* ' */ -- don't\n FROM t WHERE x = ?"
  expect(renderSql({ text, params: [1] }, noFiles)).toBe(text.replace('?', "BIGINT '1'"))
})

test('more or fewer values than ? throw', () => {
  expect(() => renderSql({ text: 'SELECT ?, ?', params: [1] }, noFiles)).toThrow('more ?')
  expect(() => renderSql({ text: 'SELECT ?', params: [1, 2] }, noFiles)).toThrow('2 values for 1 ?')
})

test('a condition on files becomes the text that the caller writes for them', () => {
  const query = sql`SELECT 1 WHERE ${inFiles('events_hot', ['a', 'b'])} AND x = ${1}`
  expect(renderSql(query, files => `path IN (${files})`)).toBe(
    "SELECT 1 WHERE path IN (a,b) AND x = BIGINT '1'",
  )
})
