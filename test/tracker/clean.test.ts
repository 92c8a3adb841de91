import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertySettings } from '#test/support/depth'
import { byteLength, cleanProperties, fitProperties } from '#tracker/clean'

test('plain values stay unchanged', () => {
  const properties = {
    text: 'ä',
    number: -1.5,
    yes: true,
    nothing: null,
    list: [1, 'a', null],
    deep: { a: { b: 1 } },
  }
  expect(cleanProperties(properties)).toEqual(properties)
})

test.each([[null], [undefined], ['text'], [5], [() => 1]])(
  '%j, which is no object, gives no properties',
  value => {
    expect(cleanProperties(value)).toEqual({})
  },
)

test('a text is cut to 4096 code units', () => {
  expect(cleanProperties({ a: 'x'.repeat(5000) })).toEqual({ a: 'x'.repeat(4096) })
})

test('an object keeps its first 100 keys, and an array its first 50 elements', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
  expect(cleanProperties(keys(150))).toEqual(keys(100))
  expect(cleanProperties({ inner: keys(150), list: Array.from({ length: 60 }, (_, at) => at) })).toEqual({
    inner: keys(100),
    list: Array.from({ length: 50 }, (_, at) => at),
  })
})

test('a cycle becomes [Circular], but two references to one object do not', () => {
  const loop: Record<string, unknown> = { name: 'loop' }
  loop.self = loop
  loop.list = [loop]
  expect(cleanProperties(loop)).toEqual({ name: 'loop', self: '[Circular]', list: ['[Circular]'] })
  const shared = { a: 1 }
  expect(cleanProperties({ one: shared, two: shared })).toEqual({ one: { a: 1 }, two: { a: 1 } })
})

test('values deeper than eight levels become [MaxDepth]', () => {
  const nest = (levels: number, end: unknown): unknown => (levels === 0 ? end : { d: nest(levels - 1, end) })
  expect(cleanProperties(nest(8, 'end'))).toEqual(nest(8, 'end'))
  expect(cleanProperties(nest(9, 'end'))).toEqual(nest(8, '[MaxDepth]'))
})

test('functions, symbols and undefined are left out, also in arrays', () => {
  const value = { f: () => 1, s: Symbol('s'), u: undefined, list: [1, () => 1, Symbol('s'), undefined, 2] }
  expect(cleanProperties(value)).toEqual({ list: [1, 2] })
})

test('keys that contain email are left out at every depth, in any case', () => {
  const value = { email: 1, userEMail: 2, email_hash: 3, mail: 4, deep: [{ WorkEmail: 5, ok: 6 }] }
  expect(cleanProperties(value)).toEqual({ mail: 4, deep: [{ ok: 6 }] })
})

test('dates and big integers become texts, and other class instances become objects with their own keys', () => {
  class Point {
    x = 1
    private readonly y = 2
    sum() {
      return this.x + this.y
    }
  }
  const value = { at: new Date(0), never: new Date(Number.NaN), big: 10n, point: new Point() }
  expect(cleanProperties(value)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    never: null,
    big: '10',
    point: { x: 1, y: 2 },
  })
})

test('a getter that throws removes only its own key', () => {
  const value = {
    a: 1,
    get bad(): number {
      throw new Error('no')
    },
    b: 2,
  }
  expect(cleanProperties(value)).toEqual({ a: 1, b: 2 })
})

test('__proto__ is a normal key', () => {
  const cleaned = cleanProperties(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'))
  expect(JSON.stringify({ ...cleaned })).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect('polluted' in {}).toBe(false)
})

test('copying a highly connected object stops after 65,536 values', () => {
  const nodes = Array.from({ length: 100 }, () => ({}) as Record<string, unknown>)
  for (const node of nodes) Object.assign(node, nodes)
  expect(byteLength(JSON.stringify(cleanProperties({ node: nodes[0] })))).toBeLessThan(2_000_000)
})

test('texts count toward the total size, so that huge properties are not copied whole', () => {
  const texts = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`k${at}`, Array(50).fill('x'.repeat(4096))]),
  )
  expect(byteLength(JSON.stringify(cleanProperties(texts)))).toBeLessThan(100_000)
})

test('every input gives valid JSON', () => {
  fc.assert(
    fc.property(fc.object({ withBigInt: true, withDate: true, withMap: true, maxDepth: 12 }), value => {
      const cleaned = cleanProperties(value)
      expect(cleanProperties(cleaned)).toEqual(cleaned)
      JSON.parse(JSON.stringify(cleaned))
    }),
    propertySettings(100),
  )
})

describe('fitProperties', () => {
  test('leaves properties unchanged when they fit', () => {
    const properties = { a: 'x'.repeat(8000) }
    expect(fitProperties(properties)).toEqual(properties)
  })

  test('halves the longest texts and keeps short texts', () => {
    const fitted = fitProperties({ path: '/a', long: 'x'.repeat(4096), longer: 'ä'.repeat(3800) })
    expect(fitted).toEqual({ path: '/a', long: 'x'.repeat(4096), longer: 'ä'.repeat(1900) })
  })

  test('removes values that are no text, and small values one by one', () => {
    expect(fitProperties({ a: 1, list: Array.from({ length: 50 }, () => 'x'.repeat(400)) })).toEqual({
      a: 1,
    })
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, 'x'.repeat(200)]))
    expect(byteLength(JSON.stringify(fitProperties(many)))).toBeLessThan(8000)
  })

  test('gives properties below the limit for every input', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3000 })
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(text, fc.array(text, { maxLength: 5 }))),
        properties => {
          expect(byteLength(JSON.stringify(fitProperties(cleanProperties(properties))))).toBeLessThan(8000)
        },
      ),
      propertySettings(50),
    )
  })
})
