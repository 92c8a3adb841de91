import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from '#schemas/exact-json'
import { propertySettings } from '#test/support/depth'

test.each<[json: string, value: unknown]>([
  ['{"order":12345678901234567890}', { order: '12345678901234567890' }],
  ['[-9007199254740993,9007199254740991,-9007199254740991]', ['-9007199254740993', 2 ** 53 - 1, 1 - 2 ** 53]],
  ['{"a":{"b":[1, 9007199254740992]}}', { a: { b: [1, '9007199254740992'] } }],
  ['{"a":12345678901234567.25,"b":0.1234567890123456}', { a: '12345678901234567.25', b: 0.1234567890123456 }],
  // Nobody writes an id so.
  ['{"a":1e300,"b":12345678901234568e4,"c":1E+20}', { a: 1e300, b: 123456789012345680000, c: 1e20 }],
  // Texts stay what they are, whatever they look like.
  [
    '{"t":"x:12345678901234567890","a\\":12345678901234567890":1,"n":12345678901234567890}',
    { t: 'x:12345678901234567890', 'a":12345678901234567890': 1, n: '12345678901234567890' },
  ],
  ['{"t":"\\\\","n":12345678901234567890}', { t: '\\', n: '12345678901234567890' }],
])('%s keeps all digits', (json, value) => {
  expect(parseExactJson(json)).toEqual(value)
})

test.each([
  '{"a":1,12345678901234567890:2}',
  '{12345678901234567890 :[12345678901234567890]}',
  '[01234567890123456789]',
  '[12345678901234567890.]',
  '[12345678901234567890abc]',
  '[1 12345678901234567890]',
  '["a:12345678901234567890]',
  '[--12345678901234567890]',
])('%s is no JSON, as before', json => {
  expect(() => parseExactJson(json)).toThrow(SyntaxError)
})

/** The same rule by the reviver of JSON.parse, which is slow and fails on deep JSON. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const keepDigits: Reviver = (_, value, { source = '' }) =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(source)
    ? source
    : value

test('any JSON, also beside a long number, is what JSON.parse reads, but for long numbers', () => {
  fc.assert(
    fc.property(fc.json(), fc.bigInt(), (json, number) => {
      for (const text of [json, `[${number}, ${json}]`, `{"a" : ${number},"b":${json}}`])
        expect(parseExactJson(text)).toEqual(JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]))
    }),
    propertySettings(100),
  )
})
