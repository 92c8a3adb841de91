import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanObject, withoutBlanks } from '#core/ingest/scan-object'
import { propertySettings } from '#test/support/depth'

/** The object as JSON.stringify would write it; `inexact` where it may write it in another way. */
function compact(json: string): string | null {
  const bytes = Buffer.from(`[${json}]`)
  const found = scanObject(bytes, 1)
  if (found === null) return null
  expect(bytes.toString('utf8', 1, found.end)).toBe(json)
  const written = withoutBlanks(bytes, 1, found)
  expect(written).toHaveLength(found.end - 1 - found.blanks)
  return found.isExact ? Buffer.from(written).toString() : 'inexact'
}

test.each([
  ['{ }', '{}'],
  [
    '{"a" : [ 1 , -2.5,\n0, 0.000001, true,\tfalse, null,{} ,[]]}',
    '{"a":[1,-2.5,0,0.000001,true,false,null,{},[]]}',
  ],
  [
    '{"a\\n\\"\\\\":"\\t","é":"😀 ","__proto__":{"a":1}}',
    '{"a\\n\\"\\\\":"\\t","é":"😀 ","__proto__":{"a":1}}',
  ],
  ['{"0":1,"9":2,"10":3,"b":4,"4294967295":5,"01":6}', '{"0":1,"9":2,"10":3,"b":4,"4294967295":5,"01":6}'],
  ['{"a":{"x":1},"b":{"x":1}}', '{"a":{"x":1},"b":{"x":1}}'],
])('%s is exact without its blanks', (json, expected) => {
  expect(compact(json)).toBe(expected)
  expect(expected).toBe(JSON.stringify(JSON.parse(json)))
})

test.each([
  '{"a":1,"a":2}',
  '{"0":1,"0":2}',
  '{"10":1,"9":2}',
  '{"a":1,"0":2}',
  '{"a":1,"4294967294":2}',
  '{"a":{"b":1,"b":1}}',
  '{"a":"\\u00e9"}',
  '{"a":"\\/"}',
  '{"\\u0061":1}',
  '{"a":1.0}',
  '{"a":-0}',
  '{"a":-0.0}',
  '{"a":1e2}',
  '{"a":1E-2}',
  '{"a":1e999}',
  '{"a":0.0000001}',
  '{"a":1234567890123456}',
  '{"a":0.30000000000000004}',
])('%s is left to JSON.parse', json => {
  expect(compact(json)).toBe('inexact')
})

test.each([
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":1e}',
  '{"a":-}',
  '{"a":tru}',
  '{"a":nul1}',
  '{"a":"\u0001"}',
  '{"a":"x}',
  '{"a":[1,]}',
  '{"a":[1}',
  '{"a":\u00a01}',
  '[]',
  '5',
  '',
])('%s is refused, as by JSON.parse', json => {
  const bytes = Buffer.from(json)
  expect(scanObject(bytes, 0)).toBeNull()
})

test('an object of a depth that JSON.parse reads and this does not is refused', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  expect(compact(nested(64))).toBe(nested(64))
  expect(compact(nested(65))).toBeNull()
})

/** An object as its properties, because keys of JSON may repeat and have any order. */
class Properties {
  readonly entries: [string, unknown][]

  constructor(entries: [string, unknown][]) {
    this.entries = entries
  }
}

function toJson(value: unknown, blanks: string): string {
  const list = (items: string[]) => items.join(`${blanks},${blanks}`)
  if (Array.isArray(value)) return `[${blanks}${list(value.map(item => toJson(item, blanks)))}${blanks}]`
  if (!(value instanceof Properties)) return JSON.stringify(value)
  const entries = value.entries.map(
    ([key, item]) => `${JSON.stringify(key)}${blanks}:${blanks}${toJson(item, blanks)}`,
  )
  return `{${blanks}${list(entries)}${blanks}}`
}

test('an object is written as JSON.stringify writes it, or is left to it', () => {
  const key = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.nat(99).map(String),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const { object } = fc.letrec<{ value: unknown; object: Properties }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.integer(),
      fc
        .tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -7, max: 7 }))
        .map(([n, e]) => Number(`${n}e${e}`)),
      fc.constantFrom(true, false, null),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(entries => new Properties(entries)),
  }))
  let exact = 0
  fc.assert(
    fc.property(object, fc.constantFrom('', ' ', '\n\t'), (properties, blanks) => {
      const json = toJson(properties, blanks)
      const written = compact(json)
      if (written !== 'inexact') exact += 1
      expect(['inexact', JSON.stringify(JSON.parse(json))]).toContain(written)
    }),
    propertySettings(300),
  )
  expect(exact).toBeGreaterThan(100)
})

test('bytes that were changed anywhere are refused where JSON.parse refuses them', () => {
  const json = '{"a":[1,-2.5e3,"x\\n\\u0041"],"b":{"c":true,"7":null},"d":"é"}'
  const change = fc.tuple(fc.nat(json.length - 1), fc.constantFrom(...'{}[]",:\\0-.eE+ atn', ''))
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), changes => {
      const changed = changes.reduce(
        (text, [at, char]) => text.slice(0, at) + char + text.slice(at + 1),
        json,
      )
      const bytes = Buffer.from(changed)
      const found = scanObject(bytes, 0)
      const text = found === null ? '' : bytes.toString('utf8', 0, found.end)
      const expected = parsed(text)
      if (found?.isExact)
        expect(Buffer.from(withoutBlanks(bytes, 0, found)).toString()).toBe(JSON.stringify(expected))
      const whole = parsed(changed)
      if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) expect(found).not.toBeNull()
    }),
    propertySettings(2_000),
  )
})
